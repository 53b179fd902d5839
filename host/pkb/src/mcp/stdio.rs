//! The protocol over stdin and stdout: one JSON-RPC message a line.
//!
//! rmcp's own transport says nothing to a line that is no JSON or too long, and
//! ends where the first message is none that may be first. A client that waits
//! for an answer waits forever then, so this one answers each such line with
//! the error that JSON-RPC has for it, and reads on.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, JsonRpcMessage,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;

/// A longer message is not taken, in bytes: no request of a client comes near.
const LONGEST_LINE: usize = 16 << 20;
/// Messages in one batch, at most.
const LARGEST_BATCH: usize = 1000;

/// One client on a pair of streams.
pub(super) struct Stdio<R, W> {
    input: BufReader<R>,
    /// What was read of a line that has not ended yet.
    line: Vec<u8>,
    /// Whether the line that is being read is too long already.
    skipping: bool,
    /// Messages of a batch that were not handed on yet.
    queue: VecDeque<ClientJsonRpcMessage>,
    output: Output<W>,
    /// The answer to a bad line, while it is written: nothing else is read
    /// before it is out, so that a client that does not read costs no memory.
    answering: Option<JoinHandle<()>>,
    /// Whether a request was handed on.
    opened: bool,
    /// Set when the input ends: nobody waits for long work any more.
    client_left: Arc<AtomicBool>,
}

/// Where answers go.
struct Output<W> {
    /// None once closed.
    stream: Arc<AsyncMutex<Option<W>>>,
    batches: Arc<Mutex<Batches>>,
}

/// What is answered together. Versions of the protocol from 2025-06-18 on have
/// no batches.
#[derive(Default)]
struct Batches {
    /// Whether this client's version of the protocol has them.
    allowed: bool,
    /// Those that are not answered wholly.
    open: Vec<Batch>,
    /// Requests that are not answered, in batches or not.
    asked: HashSet<RequestId>,
}

/// Answers that go out together.
struct Batch {
    waiting: HashSet<RequestId>,
    answers: Vec<Value>,
}

impl<R, W> Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W, client_left: Arc<AtomicBool>) -> Self {
        Stdio {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            queue: VecDeque::new(),
            output: Output {
                stream: Arc::new(AsyncMutex::new(Some(output))),
                batches: Arc::default(),
            },
            answering: None,
            opened: false,
            client_left,
        }
    }

    /// The next line without its end; none when the input has ended. May be
    /// dropped while it waits, and goes on where it was.
    async fn next_line(&mut self) -> Option<Line> {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    tracing::error!("stdin cannot be read: {error}");
                    return None;
                }
            };
            if available.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return (!rest.is_empty()).then_some(Line::Whole(rest));
            }
            let end = memchr(available);
            let taken = end.map_or(available.len(), |at| at + 1);
            if !self.skipping {
                self.line
                    .extend_from_slice(&available[..end.unwrap_or(taken)]);
            }
            self.input.consume(taken);
            if self.line.len() > LONGEST_LINE {
                self.line = Vec::new();
                self.skipping = true;
            }
            if end.is_some() {
                if std::mem::take(&mut self.skipping) {
                    return Some(Line::TooLong);
                }
                return Some(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
    }

    /// Takes a line to pieces; what is wrong with it is for the client. Waits for
    /// nothing, as a line must not be lost where the caller is dropped.
    fn take(&mut self, line: &[u8]) -> Result<(), Value> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let message: Value = serde_json::from_slice(line).map_err(|error| {
            refusal(
                ErrorCode::PARSE_ERROR,
                &format!("this line is not JSON: {error}"),
                Value::Null,
            )
        })?;
        let Value::Array(messages) = message else {
            if let Some(message) = understood(message)? {
                self.output.batches().note(&message)?;
                self.note_cancellation(&message);
                self.queue.push_back(message);
            }
            return Ok(());
        };
        let mut batches = self.output.batches();
        if !batches.allowed {
            return Err(invalid(
                "this version of the protocol has no batches: send one message a line",
            ));
        }
        if messages.is_empty() || messages.len() > LARGEST_BATCH {
            return Err(invalid(&format!(
                "a batch has 1 to {LARGEST_BATCH} messages, and this one has {}",
                messages.len()
            )));
        }
        let mut batch = Batch {
            waiting: HashSet::new(),
            answers: Vec::new(),
        };
        // What other batches come to that waited for what this one cancels.
        let mut others = Vec::new();
        for message in messages {
            match understood(message) {
                Ok(Some(message)) => {
                    if let Err(refusal) = batches.note(&message) {
                        batch.answers.push(refusal);
                        continue;
                    }
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.waiting.insert(request.id.clone());
                    }
                    if let Some(id) = cancelled(&message)
                        && !batch.waiting.remove(id)
                    {
                        others.extend(batches.without(id));
                    }
                    self.queue.push_back(message);
                }
                Ok(None) => {}
                Err(refusal) => batch.answers.push(refusal),
            }
        }
        if !batch.waiting.is_empty() {
            batches.open.push(batch);
        } else if !batch.answers.is_empty() {
            others.push(Value::Array(batch.answers));
        }
        drop(batches);
        if !others.is_empty() {
            self.answer(others);
        }
        Ok(())
    }

    /// A request that is cancelled has no answer, and its batch does not wait
    /// for one.
    fn note_cancellation(&mut self, message: &ClientJsonRpcMessage) {
        if let Some(id) = cancelled(message) {
            let done = self.output.batches().without(id);
            if let Some(answers) = done {
                self.answer(vec![answers]);
            }
        }
    }

    /// Writes answers of the transport's own, one a line.
    fn answer(&mut self, answers: Vec<Value>) {
        let output = self.output.clone();
        self.answering = Some(tokio::spawn(async move {
            for answer in answers {
                if let Err(error) = output.write(&answer).await {
                    tracing::debug!("stdout cannot be written: {error}");
                }
            }
        }));
    }
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The request that a message cancels.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let JsonRpcMessage::Notification(notification) = message else {
        return None;
    };
    match &notification.notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// What a JSON value says; none where it asks for nothing.
fn understood(value: Value) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let asks = value.get("method").is_some();
    let id = value.get("id").cloned();
    let wrong = match serde_json::from_value::<ClientJsonRpcMessage>(value) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    match id {
        // Notifications that nobody knows are passed over.
        None if asks => Ok(None),
        // An answer that is none: whoever waits for it must not wait on. Where
        // nobody does, it is passed over.
        Some(id) if !asks => Ok(serde_json::from_value(id).ok().map(|id| {
            let message = format!("this is no answer as the protocol has them: {wrong}");
            ClientJsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(id))
        })),
        Some(id @ (Value::String(_) | Value::Number(_))) => Err(refusal(
            ErrorCode::INVALID_REQUEST,
            &format!("this is no request as the protocol has them: {wrong}"),
            id,
        )),
        _ => Err(invalid(
            "this is no JSON-RPC 2.0 message: a request has \"jsonrpc\": \"2.0\", an \"id\" that is a string or a \
             whole number, and a \"method\"",
        )),
    }
}

fn invalid(message: &str) -> Value {
    refusal(ErrorCode::INVALID_REQUEST, message, Value::Null)
}

fn refusal(code: ErrorCode, message: &str, id: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Output {
            stream: self.stream.clone(),
            batches: self.batches.clone(),
        }
    }
}

impl<W> Output<W> {
    fn batches(&self) -> MutexGuard<'_, Batches> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: AsyncWrite + Unpin> Output<W> {
    async fn write(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut stream = self.stream.lock().await;
        let Some(stream) = &mut *stream else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        stream.write_all(&line).await?;
        stream.flush().await
    }

    async fn send(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        let sent = self.batches().with(&message)?;
        match sent {
            Sent::Alone => self.write(&message).await,
            Sent::Kept => Ok(()),
            Sent::Together(answers) => self.write(&answers).await,
        }
    }
}

/// What becomes of a message that is to be sent.
enum Sent {
    /// It belongs to no batch.
    Alone,
    /// Its batch is not complete.
    Kept,
    /// It completes this batch.
    Together(Value),
}

impl Batches {
    /// Notes what is asked, and what is no longer.
    ///
    /// # Errors
    /// A refusal for a request whose id stands for another one that is not
    /// answered yet: nobody could tell their answers apart.
    fn note(&mut self, message: &ClientJsonRpcMessage) -> Result<(), Value> {
        if let Some(id) = cancelled(message) {
            self.asked.remove(id);
        }
        match message {
            JsonRpcMessage::Request(request) if !self.asked.insert(request.id.clone()) => {
                Err(refusal(
                    ErrorCode::INVALID_REQUEST,
                    "another request with this id is not answered yet",
                    json!(request.id),
                ))
            }
            _ => Ok(()),
        }
    }

    fn with(&mut self, message: &ServerJsonRpcMessage) -> io::Result<Sent> {
        let id = match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.allowed = result.protocol_version == ProtocolVersion::V_2025_03_26;
                }
                Some(&response.id)
            }
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.asked.remove(id);
        }
        let at = id.and_then(|id| {
            self.open
                .iter_mut()
                .position(|batch| batch.waiting.remove(id))
        });
        let Some(at) = at else {
            return Ok(Sent::Alone);
        };
        self.open[at].answers.push(serde_json::to_value(message)?);
        Ok(self.complete(at).map_or(Sent::Kept, Sent::Together))
    }

    /// The answers of the batch that waited for nothing but this request.
    fn without(&mut self, id: &RequestId) -> Option<Value> {
        let at = (self.open.iter()).position(|batch| batch.waiting.contains(id))?;
        self.open[at].waiting.remove(id);
        self.complete(at)
    }

    fn complete(&mut self, at: usize) -> Option<Value> {
        if !self.open[at].waiting.is_empty() {
            return None;
        }
        let answers = self.open.remove(at).answers;
        (!answers.is_empty()).then_some(Value::Array(answers))
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { output.send(message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answering) = &mut self.answering {
                if let Err(error) = answering.await {
                    tracing::debug!("the answer to a bad line was not written: {error}");
                }
                self.answering = None;
            }
            if let Some(message) = self.queue.pop_front() {
                if !self.opened && !matches!(message, JsonRpcMessage::Request(_)) {
                    tracing::debug!("passed over what came before the first request");
                    continue;
                }
                self.opened = true;
                return Some(message);
            }
            let refused = match self.next_line().await {
                Some(Line::Whole(line)) => self.take(&line).err(),
                Some(Line::TooLong) => Some(invalid(&format!(
                    "this line is longer than {LONGEST_LINE} bytes"
                ))),
                None => {
                    self.client_left.store(true, Ordering::Relaxed);
                    return None;
                }
            };
            if let Some(refusal) = refused {
                self.answer(vec![refusal]);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let stream = self.output.stream.lock().await.take();
        match stream {
            Some(mut stream) => stream.flush().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, duplex};

    type Ends = (
        Stdio<tokio::io::DuplexStream, tokio::io::DuplexStream>,
        tokio::io::DuplexStream,
        tokio::io::DuplexStream,
    );

    fn transport() -> Ends {
        let (input, their_input) = duplex(1 << 16);
        let (output, their_output) = duplex(1 << 16);
        let left = Arc::new(AtomicBool::new(false));
        (Stdio::new(input, output, left), their_input, their_output)
    }

    /// What is answered to `lines`, none of which is handed on.
    async fn answers(lines: &[u8]) -> Vec<Value> {
        let (mut transport, mut input, mut output) = transport();
        input.write_all(lines).await.unwrap();
        drop(input);
        assert!(transport.receive().await.is_none());
        assert!(transport.client_left.load(Ordering::Relaxed));
        transport.close().await.unwrap();
        drop(transport);
        let mut text = String::new();
        output.read_to_string(&mut text).await.unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn bad_lines_are_answered_with_the_error_for_them() {
        let lines = b"not json\n\n \xff\xfe\n3\n{}\n{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}\n[]\n";
        let answers = answers(lines).await;
        let told: Vec<(i64, &Value)> = answers
            .iter()
            .map(|answer| (answer["error"]["code"].as_i64().unwrap(), &answer["id"]))
            .collect();
        assert_eq!(
            told,
            [
                (-32700, &Value::Null),
                (-32700, &Value::Null),
                (-32600, &Value::Null),
                (-32600, &Value::Null),
                (-32600, &json!(7)),
                (-32600, &Value::Null),
            ]
        );
    }

    #[tokio::test]
    async fn notifications_and_answers_that_nobody_knows_are_passed_over() {
        let lines = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\",\"params\":3}\n{\"jsonrpc\":\"2.0\",\
                      \"id\":4,\"nothing\":1}\n";
        assert!(answers(lines).await.is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_refused_and_the_next_is_read() {
        let (mut transport, mut input, mut output) = transport();
        let writer = tokio::spawn(async move {
            let blank = vec![b'x'; 1 << 16];
            for _ in 0..=(LONGEST_LINE >> 16) {
                input.write_all(&blank).await.unwrap();
            }
            let ping = b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
            input.write_all(ping).await.unwrap();
            input
        });
        let message = transport.receive().await.unwrap();
        assert!(matches!(message, JsonRpcMessage::Request(_)));
        writer.await.unwrap();
        let mut answer = vec![0; 1000];
        let read = output.read(&mut answer).await.unwrap();
        assert!(String::from_utf8_lossy(&answer[..read]).contains("-32600"));
    }

    #[tokio::test]
    async fn a_batch_is_answered_as_one() {
        let (mut transport, mut input, mut output) = transport();
        transport.output.batches().allowed = true;
        let batch = b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},5]\n";
        input.write_all(batch).await.unwrap();
        for id in [1, 2] {
            let Some(JsonRpcMessage::Request(request)) = transport.receive().await else {
                panic!("no request {id}");
            };
            let result = ServerResult::empty(());
            transport
                .send(ServerJsonRpcMessage::response(result, request.id))
                .await
                .unwrap();
        }
        let mut line = String::new();
        BufReader::new(&mut output)
            .read_line(&mut line)
            .await
            .unwrap();
        let answers: Vec<Value> = serde_json::from_str(&line).unwrap();
        let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(ids, [&Value::Null, &json!(1), &json!(2)]);
    }

    /// Reads what is sent as one line, in a version that has batches, and what
    /// is answered before anything is handed on.
    async fn answered_at_once(line: &[u8], handed_on: usize) -> Vec<Value> {
        let (mut transport, mut input, mut output) = transport();
        transport.opened = true;
        transport.output.batches().allowed = true;
        input.write_all(line).await.unwrap();
        drop(input);
        for _ in 0..handed_on {
            let message = transport.receive().await.unwrap();
            if let JsonRpcMessage::Request(request) = message
                && request.id != RequestId::Number(1)
            {
                let result = ServerResult::empty(());
                let answer = ServerJsonRpcMessage::response(result, request.id);
                transport.send(answer).await.unwrap();
            }
        }
        assert!(transport.receive().await.is_none());
        transport.close().await.unwrap();
        drop(transport);
        let mut text = String::new();
        output.read_to_string(&mut text).await.unwrap();
        (text.lines())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    const CANCEL: &str =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;

    #[tokio::test]
    async fn a_cancellation_in_a_batch_does_not_keep_the_other_answers() {
        let other = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let line = format!("[{PING},{CANCEL},{other}]\n");
        let answers = answered_at_once(line.as_bytes(), 3).await;
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0].as_array().unwrap().len(), 1, "{answers:?}");
        assert_eq!(answers[0][0]["id"], 2, "{answers:?}");
        // Nothing is left to wait for, so the refusal goes out by itself.
        let line = format!("[{PING},5,{CANCEL}]\n");
        let answers = answered_at_once(line.as_bytes(), 2).await;
        assert_eq!(answers[0][0]["error"]["code"], -32600, "{answers:?}");
        // A batch that waited for what another one cancels.
        let line = format!("[{PING},5]\n[{CANCEL},6]\n");
        let answers = answered_at_once(line.as_bytes(), 2).await;
        assert_eq!(answers.len(), 2, "{answers:?}");
    }

    #[tokio::test]
    async fn a_second_request_with_an_id_in_flight_is_refused() {
        let line = format!("{PING}\n{PING}\n");
        let answers = answered_at_once(line.as_bytes(), 1).await;
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0]["error"]["code"], -32600, "{answers:?}");
        let answers = answered_at_once(format!("[{PING},{PING}]\n").as_bytes(), 1).await;
        assert!(answers.is_empty(), "the first is still waited for");
        // Once it is cancelled or answered, the id is free.
        let line = format!("{PING}\n{CANCEL}\n{PING}\n");
        assert!(answered_at_once(line.as_bytes(), 3).await.is_empty());
    }
}
