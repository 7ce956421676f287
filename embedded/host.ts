/**
 * The process that runs the embedded Postgres and Temporal. `client.ts` starts it and controls it over IPC. It ends with its
 * owner, and restarts services that die.
 */
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { assertNotHalfRestored, makeDataFolder } from './data-folder.ts'
import { recordOwner, takeFolder } from './owner.ts'
import { startPostgres } from './postgres.ts'
import { startProcess, type ProcessOptions } from './child-process.ts'
import type { EmbeddedAddresses, EmbeddedOptions, HostMessage, OwnerMessage } from './protocol.ts'
import { runningFile, writeRunning } from './running-file.ts'
import { startTemporal } from './temporal.ts'

// Only the owner can read new files in the data folder.
process.umask(0o077)

interface Part {
  stop(): Promise<void>
}

/** The order in which they are stopped. */
const STOP_ORDER = ['Temporal', 'Postgres']

const parts = new Map<string, Part>()
let dataDir: string | undefined
let unlock: (() => void) | undefined
let starting: Promise<void> | undefined
let stopping: Promise<never> | undefined
/** Pending launches: a process must have started before it can be stopped. */
const launches = new Set<Promise<unknown>>()
const stopAsked = new AbortController()

const tell = (message: HostMessage) => {
  if (process.connected) process.send?.(message)
}
const say = (line: string) => tell({ kind: 'progress', line })

process.on('message', (message: OwnerMessage) => {
  if (message.kind === 'stop') void stop()
  else if (message.kind === 'keep') void keepProcess(message.process)
  else {
    starting = start(message.options)
    starting.catch((error: unknown) => {
      tell({ kind: 'failed', error: error instanceof Error ? error.message : String(error) })
      void stop(1)
    })
  }
})
process.on('disconnect', () => void stop())
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void stop())

async function start(options: EmbeddedOptions): Promise<void> {
  dataDir = options.dataDir
  makeDataFolder(dataDir)
  unlock = await takeFolder(options.dataDir, stopAsked.signal)
  // After the lock: a restore sets its mark before it checks the lock.
  if (!options.restores) assertNotHalfRestored(options.dataDir)
  recordOwner(options.dataDir, options.ownerPid)

  const addresses: EmbeddedAddresses = {}
  let superuserUrl = ''
  const { postgres, temporal, temporalServer } = options
  const startDatabase =
    postgres &&
    keep('Postgres', async (onExit) => {
      const part = await startPostgres(options.dataDir, postgres, onExit, say, stopAsked.signal)
      addresses.databaseUrl = part.url
      superuserUrl = part.superuserUrl
      return part
    })
  // Temporal's server needs Postgres first. The development server needs nothing.
  if (temporalServer) await startDatabase
  const startThisTemporal = temporalServer
    ? async (onExit: () => void) => {
        // Imported here, because `npm start` does not need these modules.
        const { startTemporalServer } = await import('./temporal-server.ts')
        return startTemporalServer(options.dataDir, temporalServer, superuserUrl, onExit, stopAsked.signal)
      }
    : temporal && ((onExit: () => void) => startTemporal(options.dataDir, temporal, onExit, stopAsked.signal))
  await Promise.all([
    startDatabase,
    startThisTemporal &&
      keep('Temporal', async (onExit) => {
        const part = await startThisTemporal(onExit)
        addresses.temporalAddress = part.address
        if (part.uiUrl !== undefined) addresses.temporalUiUrl = part.uiUrl
        return part
      }),
  ])
  stopAsked.signal.throwIfAborted()
  if (!options.restores) writeRunning(options.dataDir, addresses)
  tell({ kind: 'ready', addresses: { ...addresses, superuserUrl } })
}

/** Starts a service, and restarts it whenever it dies. */
async function keep(name: string, launch: (onExit: () => void) => Promise<Part>): Promise<void> {
  const launchOnce = async () => {
    const launched = launch(() => void relaunch()).then((part) => parts.set(name, part))
    launches.add(launched)
    await launched.finally(() => launches.delete(launched))
  }
  const relaunch = async () => {
    for (let pause = 500; !stopping; pause = Math.min(pause * 2, 10_000)) {
      say(`${name} has ended unexpectedly and is restarted`)
      try {
        return await launchOnce()
      } catch (error) {
        say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        await delay(pause)
      }
    }
  }
  await launchOnce()
}

/** Runs a process that its owner needs next to Postgres and Temporal. */
const keepProcess = (options: ProcessOptions): Promise<void> =>
  keep(options.name, async (onExit) => {
    const process = await startProcess(dataDir ?? '', options)
    void process.ended.then(onExit)
    return process
  })

function stop(code = 0): Promise<never> {
  stopAsked.abort(new Error('Stopped during startup'))
  stopping ??= (async () => {
    await starting?.catch(() => undefined)
    // One service may have failed while another is starting.
    await Promise.allSettled(launches)
    // Stops in reverse order of the dependencies: processes of the owner, then Temporal, then Postgres. Those of the owner stop
    // together: each has to complete its work, and none depends on another.
    const stopAll = (names: string[]) => Promise.allSettled(names.map(async (name) => parts.get(name)?.stop()))
    await stopAll([...parts.keys()].filter((name) => !STOP_ORDER.includes(name)))
    for (const name of STOP_ORDER) await stopAll([name])
    if (dataDir && unlock) rmSync(runningFile(dataDir), { force: true })
    unlock?.()
    process.exit(code)
  })()
  return stopping
}
