// Written by `hindsight install opencode`; `hindsight uninstall opencode` takes it away.
// It tells Hindsight what the agent does and hands back what approved experience says.
// Whatever goes wrong in here, the agent goes on as if it were not installed.
import { spawn } from "node:child_process"

const COMMAND = ["hindsight"]
const TIMEOUTS_MS = {/* timeouts */}
const MAX_OUTPUT = 1024 * 1024

// What the hook prints; empty when it fails or takes too long.
function run(event, payload, directory) {
  return new Promise((resolve) => {
    let output = ""
    const [program, ...first] = COMMAND
    const child = spawn(program, [...first, "hook", "opencode", event], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const end = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      end("")
    }, TIMEOUTS_MS[event] ?? 5000)
    child.on("error", () => end(""))
    child.on("close", (code) => end(code === 0 ? output : ""))
    child.stdout.on("data", (chunk) => {
      if (output.length < MAX_OUTPUT) output += chunk
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

async function context(event, payload, directory) {
  if (!(event in TIMEOUTS_MS)) return ""
  try {
    const output = await run(event, payload, directory)
    return output.trim() ? (JSON.parse(output).context ?? "") : ""
  } catch {
    return ""
  }
}

export const Hindsight = async ({ directory }) => {
  const texts = new Map() // session id -> what its system prompt gets
  let latest = ""
  return {
    "chat.message": async (input, output) => {
      const session = input?.sessionID ?? output?.message?.sessionID ?? ""
      latest = session
      const text = await context("chat.message", { directory, input, output }, directory)
      if (text) texts.set(session, text)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = texts.get(input?.sessionID ?? latest)
      if (text && Array.isArray(output?.system)) output.system.push(text)
    },
    "tool.execute.after": async (input, output) => {
      const payload = { directory, input, output }
      const text = await context("tool.execute.after", payload, directory)
      if (text && typeof output?.output === "string") output.output += `\n\n${text}`
    },
    event: async ({ event }) => {
      if (event?.type in TIMEOUTS_MS) await context(event.type, { directory, event }, directory)
    },
  }
}
