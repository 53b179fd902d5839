//! `token`: who may ask over HTTP.

use std::process::ExitCode;

use jiff::Timestamp;
use pkb_engine::{Error, Home};
use serde_json::{Value, json};

use crate::access::tokens::{self, Token};
use crate::cli::Token as Command;
use crate::output::{DIM, Output, STRONG, Table, printable};

pub(crate) fn run(home: &Home, command: Command, output: &Output) -> anyhow::Result<ExitCode> {
    let now = Timestamp::now();
    match command {
        Command::New {
            name,
            scope,
            expires,
        } => {
            let end = expires.end(now).map_err(|problem| {
                Error::usage(
                    problem,
                    "Say --expires 90d, or a day that is still to come.",
                )
            })?;
            let (token, secret) = tokens::create(home, name, scope, now, end)?;
            made(&token, &secret, now, output)?;
        }
        Command::List => list(
            &tokens::read(&tokens::file(home))?.unwrap_or_default(),
            now,
            output,
        )?,
        Command::Revoke { token } => {
            let revoked = tokens::revoke(home, &token)?;
            if output.json {
                output.json(&json!({ "revoked": about(&revoked, now) }))?;
            } else {
                let name = printable(&revoked.name);
                output.line(format_args!(
                    "{STRONG}{name}{STRONG:#} lets nobody in any more."
                ));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn made(token: &Token, secret: &str, now: Timestamp, output: &Output) -> anyhow::Result<()> {
    if output.json {
        let mut answer = about(token, now);
        answer["token"] = secret.into();
        return output.json(&answer);
    }
    // Alone on its line, so that it can be piped on.
    output.line(secret);
    let until = match token.expires {
        Some(end) => format!("until {}", minute(end)),
        None => "until it is revoked".into(),
    };
    output.note(format_args!(
        "this is shown once; it is called {} and lets a client {} {until}. A client sends it as \
         `Authorization: Bearer {}...`",
        printable(&token.name),
        match token.scope {
            crate::access::Scope::Read => "read",
            crate::access::Scope::Write => "read and write",
            crate::access::Scope::Admin => "do everything",
        },
        tokens::PREFIX,
    ));
    Ok(())
}

fn list(tokens: &[Token], now: Timestamp, output: &Output) -> anyhow::Result<()> {
    if output.json {
        let all: Vec<Value> = tokens.iter().map(|token| about(token, now)).collect();
        return output.json(&all);
    }
    if tokens.is_empty() {
        output.note("there are no tokens; `pkb token new` makes one");
    }
    let mut table = Table::default();
    for token in tokens {
        let until = match token.expires {
            Some(end) if token.valid_at(now) => format!("until {}", minute(end)),
            Some(end) => format!("expired {}", minute(end)),
            None => "for good".into(),
        };
        table
            .row()
            .styled(&token.name, STRONG)
            .text(token.scope)
            .text(until)
            .styled(format_args!("made {}", minute(token.created)), DIM)
            .styled(&token.id, DIM);
    }
    table.print(output);
    Ok(())
}

fn about(token: &Token, now: Timestamp) -> Value {
    json!({
        "name": token.name,
        "id": token.id,
        "scope": token.scope,
        "created": token.created.to_string(),
        "expires": token.expires.map(|end| end.to_string()),
        "valid": token.valid_at(now),
    })
}

/// A time without what nobody reads.
fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
