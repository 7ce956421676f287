/**
 * The process that holds the embedded Postgres and Temporal: started by `client.ts`, told what to do over IPC, and gone
 * when its owner is. A part that dies is started again.
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

// Whatever is written into the data folder is for its owner alone.
process.umask(0o077)

interface Part {
  stop(): Promise<void>
}

/** In the order of their end. */
const FOUNDATION = ['Temporal', 'Postgres']

const parts = new Map<string, Part>()
let dataDir: string | undefined
let unlock: (() => void) | undefined
let starting: Promise<void> | undefined
let stopping: Promise<never> | undefined
/** What is being launched: it has to be there before it can be stopped. */
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
  // Behind the lock: a restore marks the folder before it looks whether somebody has it.
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
  // What it stands on is started first; the development server stands on nothing.
  if (temporalServer) await startDatabase
  const startThisTemporal = temporalServer
    ? async (onExit: () => void) => {
        // Only here, because `npm start` has no use for what it imports.
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

/** Starts a part, and starts it again whenever it dies. */
async function keep(name: string, launch: (onExit: () => void) => Promise<Part>): Promise<void> {
  const launchOnce = async () => {
    const launched = launch(() => void relaunch()).then((part) => parts.set(name, part))
    launches.add(launched)
    await launched.finally(() => launches.delete(launched))
  }
  const relaunch = async () => {
    for (let pause = 500; !stopping; pause = Math.min(pause * 2, 10_000)) {
      say(`${name} has ended unexpectedly and is started again`)
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

/** Keeps a process that its owner wants beside Postgres and Temporal. */
const keepProcess = (options: ProcessOptions): Promise<void> =>
  keep(options.name, async (onExit) => {
    const process = await startProcess(dataDir ?? '', options)
    void process.ended.then(onExit)
    return process
  })

function stop(code = 0): Promise<never> {
  stopAsked.abort(new Error('Stopped while it was started'))
  stopping ??= (async () => {
    await starting?.catch(() => undefined)
    // One part may have failed while another is on its way up.
    await Promise.allSettled(launches)
    // First what came last and stands on the rest: processes of the owner's, then Temporal, then Postgres. Those of the
    // owner's stop together: each has work in progress to finish, and none stands on another.
    const stopAll = (names: string[]) => Promise.allSettled(names.map(async (name) => parts.get(name)?.stop()))
    await stopAll([...parts.keys()].filter((name) => !FOUNDATION.includes(name)))
    for (const name of FOUNDATION) await stopAll([name])
    if (dataDir && unlock) rmSync(runningFile(dataDir), { force: true })
    unlock?.()
    process.exit(code)
  })()
  return stopping
}
