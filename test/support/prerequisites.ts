import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { resolveTestServer } from '../../scripts/temporal-test-server.ts'
import { resolveChromium } from './chromium-binary.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

/** Finds or downloads the programs that tests start. If one is missing, prints one sentence about all of them, and exits. */
export async function checkPrerequisites(): Promise<void> {
  const programs: [string, () => Promise<unknown>][] = [
    ["Temporal's development server (install Go 1.24 or later)", () => resolveTemporalCli(process.env, say)],
    [
      "Temporal's time-skipping test server (install Java 11 or later, and Maven)",
      () => resolveTestServer(process.env, say),
    ],
    ['a browser (install Chromium)', () => resolveChromium(process.env)],
    ['Python 3.9 or later with venv', () => promisify(execFile)('python3', ['-c', 'import zoneinfo, venv, ensurepip'])],
  ]
  const missing: string[] = []
  for (const [program, resolve] of programs) {
    await resolve().catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error))
      missing.push(program)
    })
  }
  if (missing.length === 0) return
  say(`The tests need ${missing.join(' and ')}.`)
  process.exit(1)
}
