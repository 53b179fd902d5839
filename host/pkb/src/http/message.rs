//! What a request's body says, as far as it has to be known before the MCP
//! server reads it: whether it is a message at all, and of which kind.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;

use super::answers::{INVALID_REQUEST, PARSE_ERROR};

/// A JSON-RPC message.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Waits for an answer.
    Request {
        /// Its id.
        id: Value,
        /// Its method.
        method: String,
        /// The parameter `name`: the tool, where the method calls one.
        name: Option<String>,
    },
    /// A notification, or an answer to a request of the server.
    Other,
}

/// What is wrong with a body.
#[derive(Debug, PartialEq)]
pub(super) struct Wrong {
    /// JSON-RPC's code for it.
    pub(super) code: i32,
    /// In words.
    pub(super) message: String,
    /// The id, where there is one that can be answered to.
    pub(super) id: Value,
}

/// Reads as much of a message as [`Message`] holds. Only that is kept in
/// memory, whatever else the body says.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(body: &[u8]) -> Result<Message, Wrong> {
    let invalid = |message: &str, id: &Option<Scalar>| Wrong {
        code: INVALID_REQUEST,
        message: message.to_owned(),
        id: id.as_ref().map_or(Value::Null, Scalar::id),
    };
    let envelope: Envelope = match serde_json::from_slice(body) {
        Ok(envelope) => envelope,
        Err(error) if error.classify() == Category::Data => {
            let batch = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
            let message = if batch {
                "messages are taken one by one, not in a list".to_owned()
            } else {
                format!("this is no JSON-RPC message: {error}")
            };
            return Err(invalid(&message, &None));
        }
        Err(error) => {
            return Err(Wrong {
                code: PARSE_ERROR,
                message: format!("this is not JSON: {error}"),
                id: Value::Null,
            });
        }
    };
    let id = &envelope.id;
    if !matches!(&envelope.jsonrpc, Some(Scalar::Text(version)) if version == "2.0") {
        return Err(invalid("\"jsonrpc\" has to be \"2.0\"", id));
    }
    // Who could not read our message answers with an error that has no id.
    if let Some(Scalar::Other) = id
        && envelope.error.is_none()
    {
        return Err(invalid("an id is a string or a whole number", &None));
    }
    let answer = envelope.result.is_some() || envelope.error.is_some();
    match (envelope.method, answer) {
        (Some(Scalar::Text(method)), false) => {
            if let Some(Params::Other) = envelope.params {
                return Err(invalid("\"params\" has to be an object", id));
            }
            let name = match envelope.params {
                Some(Params::Object {
                    name: Some(Scalar::Text(name)),
                }) => Some(name),
                _ => None,
            };
            Ok(match id {
                Some(id) => Message::Request {
                    id: id.id(),
                    method,
                    name,
                },
                None => Message::Other,
            })
        }
        (Some(_), false) => Err(invalid("\"method\" has to be a string", id)),
        (None, true) if envelope.result.is_none() || envelope.error.is_none() => Ok(Message::Other),
        _ => Err(invalid(
            "a message has a \"method\", a \"result\" or an \"error\"",
            id,
        )),
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    jsonrpc: Option<Scalar>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Scalar>,
    #[serde(default, deserialize_with = "present")]
    method: Option<Scalar>,
    #[serde(default, deserialize_with = "present")]
    params: Option<Params>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<IgnoredAny>,
}

/// What is there as null is there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A value of which only the simple kinds are kept.
#[derive(Debug, PartialEq)]
enum Scalar {
    Text(String),
    Number(i64),
    Other,
}

impl Scalar {
    fn id(&self) -> Value {
        match self {
            Scalar::Text(text) => text.as_str().into(),
            Scalar::Number(number) => (*number).into(),
            Scalar::Other => Value::Null,
        }
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar, E> {
        Ok(i64::try_from(number).map_or(Scalar::Other, Scalar::Number))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor)
    }
}

/// The parameters, of which only the name is kept.
#[derive(Debug, PartialEq)]
enum Params {
    Object { name: Option<Scalar> },
    Other,
}

struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Params;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Params, E> {
        Ok(Params::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Params, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Params::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
        let mut name = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "name" {
                map.next_value::<IgnoredAny>()?;
            } else if name.replace(map.next_value()?).is_some() {
                // Two readers could each take another one for the tool.
                return Err(de::Error::duplicate_field("name"));
            }
        }
        Ok(Params::Object { name })
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ParamsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_told_apart() {
        let call = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","x":[1,{"name":2}]}}"#;
        let expected = Message::Request {
            id: 7.into(),
            method: "tools/call".into(),
            name: Some("search".into()),
        };
        assert_eq!(read(call), Ok(expected));
        for other in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
            " {\"method\":\"x\",\"jsonrpc\":\"2.0\",\"more\":[[[]]]} ",
        ] {
            assert_eq!(read(other.as_bytes()), Ok(Message::Other), "{other}");
        }
    }

    #[test]
    fn what_is_no_message_gets_the_right_code_and_id() {
        let wrong = |text: &str| read(text.as_bytes()).map_err(|wrong| (wrong.code, wrong.id));
        for text in [
            "",
            "{",
            "{\"jsonrpc\":\"2.0\",",
            "nonsense",
            "{} {}",
            "\u{0}",
            "{\"a\":01}",
        ] {
            assert_eq!(wrong(text), Err((PARSE_ERROR, Value::Null)), "{text}");
        }
        for text in [
            "[]",
            "7",
            "null",
            "\"text\"",
            "{}",
            r#"{"id":1,"id":2,"jsonrpc":"2.0","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}"#,
        ] {
            assert_eq!(wrong(text), Err((INVALID_REQUEST, Value::Null)), "{text}");
        }
        for text in [
            r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
            r#"{"id":3,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":3}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{},"error":{}}"#,
        ] {
            assert_eq!(wrong(text), Err((INVALID_REQUEST, json!(3))), "{text}");
        }
        let invalid_text = [
            b"{\"jsonrpc\":\"2.0\",\"id\":\"".as_slice(),
            &[0xff, 0xfe],
            b"\"}",
        ]
        .concat();
        assert_eq!(read(&invalid_text).unwrap_err().code, PARSE_ERROR);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(deep.as_bytes()).is_err());
    }
}
