import { spawn } from 'node:child_process'

/**
 * Runs a command to its end, and reports every ten seconds that it is still running. @returns the last lines of its output.
 * @throws {Error} with the last lines of its output, if it fails or does not exist
 */
export function run(
  command: string,
  args: readonly string[],
  {
    env = {},
    say,
    aborted,
  }: { env?: NodeJS.ProcessEnv; say: (line: string) => void; aborted?: AbortSignal | undefined },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const started = Date.now()
    const progress = setInterval(() => {
      say(`  … ${command} is running, ${Math.round((Date.now() - started) / 1000)} s`)
    }, 10_000)
    let output = ''
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: aborted,
    })
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => {
      clearInterval(progress)
      if (aborted?.aborted) {
        reject(aborted.reason as Error)
        return
      }
      reject(new Error(`${command} could not be started (${error.message})`))
    })
    child.on('close', (code) => {
      clearInterval(progress)
      if (code === 0) resolve(output)
      else reject(new Error(`${command} failed with ${code}: ${lastLines(output)}`))
    })
  })
}

/** The last lines, and any line about a full disk, which is the actual cause: later lines are only about the cleanup. */
function lastLines(output: string): string {
  const lines = output.trim().split('\n')
  const last = lines.slice(-3)
  const full = lines.find((line) => /no space left on device/i.test(line))
  return [...(full === undefined || last.includes(full) ? [] : [full]), ...last].join(' | ')
}
