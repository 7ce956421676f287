import { join } from 'node:path'
import { SEARCH_ATTRIBUTES } from '../../src/domain/search-attributes.ts'
import { assertPortFree, waitForPort } from './ports.ts'
import { startProcess } from './process.ts'
import type { EmbeddedOptions } from './protocol.ts'

/** Search attributes as the Temporal CLI spells their types. */
const CLI_TYPES = { KEYWORD: 'Keyword', DATETIME: 'Datetime' } as const

const START_ATTEMPTS = 3

export interface RunningTemporal {
  address: string
  uiUrl?: string
  stop(): Promise<void>
}

/**
 * Starts Temporal's development server with its UI, kept in a file in WAL mode (measured twice as fast). It looks for two
 * more free ports by itself, for HTTP and metrics, and ends when another program was faster there: it is started again.
 */
export async function startTemporal(
  dataDir: string,
  options: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
): Promise<RunningTemporal> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(dataDir, options, onExit)
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

async function launch(
  dataDir: string,
  { cliPath, port, uiPort }: NonNullable<EmbeddedOptions['temporal']>,
  onExit: () => void,
): Promise<RunningTemporal> {
  const args = [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
    ...['--db-filename', join(dataDir, 'temporal.db'), '--sqlite-pragma', 'journal_mode=wal', '--log-level', 'warn'],
    ...Object.values(SEARCH_ATTRIBUTES).flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${CLI_TYPES[type]}`,
    ]),
  ]
  const server = await startProcess(dataDir, { name: 'temporal', command: cliPath, args }, async () => {
    await assertPortFree('TEMPORAL_PORT', port)
    await assertPortFree('TEMPORAL_UI_PORT', uiPort)
  })
  await waitForPort('Temporal', port, server)
  void server.ended.then(onExit)
  return { address: `127.0.0.1:${port}`, uiUrl: `http://localhost:${uiPort}`, stop: () => server.stop() }
}
