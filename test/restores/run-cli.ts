import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT, startEnvironment } from '../support/npm-start.ts'

/** Runs the operators' command line on a data folder where nothing runs. @throws {Error} with its output if it fails */
export async function runCli(dataDir: string, args: readonly string[]): Promise<string> {
  const env = await startEnvironment(dataDir)
  const run = promisify(execFile)('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: ROOT, env })
  const { stdout } = await run.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${args.join(' ')}: ${error.stdout}${error.stderr}`)
  })
  return stdout
}
