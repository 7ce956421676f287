import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { resolveTestServer } from '../../scripts/temporal-test-server.ts'
import { installTemporalRuntime } from '../../src/parts/temporal-runtime.ts'
import { quietLog } from './log.ts'
import { stopServices } from './servers.ts'

const runtime = installTemporalRuntime(quietLog)
const say = (line: string) => process.stderr.write(`${line}\n`)

/** Getting the binaries can take minutes, once; no test's time is to pay for that. */
export async function mochaGlobalSetup(): Promise<void> {
  await resolveTemporalCli(process.env, say)
  await resolveTestServer(process.env, say)
}

/** The services are started by the first test that needs them, and stopped after the last. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopServices()
  // It ends by itself with its last worker; in a run that had none, it would keep the process from ending.
  await runtime.shutdown()
}
