import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'

export const CLI = fileURLToPath(new URL('../../packages/cli/dist/dripline.js', import.meta.url))

export interface CliRun {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command line for developers to its end. */
export async function runCli(
  args: string[],
  { env = {}, cwd = '/', input = '' }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { code, stdout, stderr }
}
