//! The same decision as our handler, written as a compiled hook usually is: clap for words, tokio for I/O, serde for JSON.

use clap::Parser;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[derive(Parser)]
struct Args {
    #[arg(default_value = "PreToolUse")]
    event: String,
}

#[derive(Deserialize)]
struct Payload {
    tool_name: Option<String>,
    tool_input: serde_json::Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    hook_event_name: String,
    permission_decision: &'static str,
    permission_decision_reason: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    hook_specific_output: Own,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let mut text = String::new();
    tokio::io::stdin().read_to_string(&mut text).await.unwrap();
    let payload: Payload = serde_json::from_str(&text).unwrap();
    let command = payload.tool_input["command"].as_str().unwrap_or("");
    if payload.tool_name.as_deref() == Some("Bash") && command.contains("push --force") {
        let own = Own {
            hook_event_name: args.event,
            permission_decision: "deny",
            permission_decision_reason: "Force-push is not allowed in this repository.",
        };
        let answer = serde_json::to_string(&Answer { hook_specific_output: own }).unwrap();
        tokio::io::stdout().write_all(answer.as_bytes()).await.unwrap();
        tokio::io::stdout().flush().await.unwrap();
    }
}
