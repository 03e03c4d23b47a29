// A parent like the client: it posts an event over one kept connection, or starts a command through `sh -c`.
// One request per line on stdin, {"url", "token"} or {"command"}; one line of milliseconds per request on stdout.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import { createInterface } from "node:readline";

const payload = readFileSync(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function post({ url, token }) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Content-Length": payload.length,
    };
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("end", () => resolve(Buffer.concat(pieces).toString()));
    });
    request.on("error", reject);
    request.end(payload);
  });
}

function start({ command }) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", "pipe"] });
    const pieces = [];
    child.stdout.on("data", (piece) => pieces.push(piece));
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(pieces).toString()));
    child.stdin.on("error", () => {}); // `true` does not read it
    child.stdin.end(payload);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line);
  const began = performance.now();
  const answer = await (wanted.url ? post(wanted) : start(wanted));
  console.log(JSON.stringify({ ms: performance.now() - began, answered: answer.includes("deny") }));
}
