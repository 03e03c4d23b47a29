//! The same decision with the usual crates: clap, tokio, serde.
use clap::Parser;
use serde::Deserialize;
use tokio::io::AsyncReadExt;

#[derive(Parser)]
struct Arguments {
    #[arg(default_value = "")]
    event: String,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(default)]
    tool_input: serde_json::Value,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let _arguments = Arguments::parse();
    let mut text = String::new();
    tokio::io::stdin().read_to_string(&mut text).await?;
    let payload: Payload = serde_json::from_str(&text)?;
    let command = payload.tool_input["command"].as_str().unwrap_or("");
    if command.contains("push --force") {
        let answer = serde_json::json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "Force-push is not allowed in this repository."}});
        println!("{answer}");
    }
    Ok(())
}
