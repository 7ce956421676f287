import { join } from 'node:path'
import { SEARCH_ATTRIBUTES } from '../src/temporal/search-attribute-keys.ts'
import { assertPortFree, waitForPort } from './ports.ts'
import { startProcess } from './child-process.ts'
import type { EmbeddedOptions } from './protocol.ts'
import { chooseInnerUi, serveTemporalUi } from './temporal-ui.ts'

/** The file with the data of Temporal's development server. */
export const temporalFile = (dataDir: string): string => join(dataDir, 'temporal.db')

/** Types of search attributes as the Temporal CLI spells them. */
const CLI_TYPES = { KEYWORD: 'Keyword', DATETIME: 'Datetime' } as const

/**
 * The hosts for which Temporal serves its HTTP API: none, because Dripline uses gRPC. Otherwise any web page open on this
 * machine could send it requests, such as terminating workflows.
 */
const NO_HTTP_HOSTS = ['unused.invalid']

const START_ATTEMPTS = 3

export interface RunningTemporal {
  address: string
  uiUrl?: string
  stop(): Promise<void>
}

/**
 * Starts Temporal's development server with its UI, on a file in WAL mode (measured twice as fast). The server picks free
 * ports for HTTP and metrics and exits when another program takes one first. It is then started again.
 */
export async function startTemporal(
  dataDir: string,
  options: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
  aborted: AbortSignal,
): Promise<RunningTemporal> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(dataDir, options, onExit, aborted)
    } catch (error) {
      if (attempt === START_ATTEMPTS || aborted.aborted) throw error
    }
  }
}

async function launch(
  dataDir: string,
  { cliPath, port, uiPort }: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
  aborted: AbortSignal,
): Promise<RunningTemporal> {
  const ui = await chooseInnerUi()
  const args = [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...['--ui-ip', ui.host, '--ui-port', String(ui.port)],
    ...['--db-filename', temporalFile(dataDir), '--sqlite-pragma', 'journal_mode=wal', '--log-level', 'warn'],
    ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify(NO_HTTP_HOSTS)}`],
    // Dripline does not use Nexus. Its callbacks at the end of a workflow could call any address, including one in a restored
    // file.
    ...['--dynamic-config-value', 'system.enableNexus=false'],
    // Workspaces take turns. Without this, every task waits for all earlier ones.
    ...['--dynamic-config-value', 'matching.enableFairness=true'],
    ...Object.values(SEARCH_ATTRIBUTES).flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${CLI_TYPES[type]}`,
    ]),
  ]
  const server = await startProcess(dataDir, { name: 'temporal', command: cliPath, args }, async () => {
    await assertPortFree('TEMPORAL_PORT', port)
    await assertPortFree('TEMPORAL_UI_PORT', uiPort)
  })
  await waitForPort('Temporal', port, server, aborted)
  const stopUi = await serveTemporalUi(uiPort, ui).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  void server.ended.then(stopUi).then(onExit)
  return {
    address: `127.0.0.1:${port}`,
    uiUrl: `http://localhost:${uiPort}`,
    stop: () => server.stop(),
  }
}
