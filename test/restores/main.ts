/**
 * `npm run test:restores`: backs up a busy instance at random moments, kills it, and restores each backup. After the
 * reconciliation, no email may be sent twice or be lost, and later emails still have to be sent.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { readRunning } from '../../embedded/running-file.ts'
import { readOptions, wholeNumber } from '../../scripts/options.ts'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { Random } from '../faults/random.ts'
import { startProduct, type Product } from '../support/busy-folder/product.ts'
import { beginLife, createKey, type Life } from './life.ts'
import { judge } from './judge.ts'
import { runCli } from './run-cli.ts'

const { values } = readOptions({
  call: 'npm run test:restores -- [OPTION …]',
  what: 'restores backups of a busy instance.',
  options: {
    times: { takes: 'N', what: 'number of backups (default: 3)' },
    seed: { takes: 'S', what: 'seed that decides when they are made' },
    'without-temporal': { what: 'restore without the data of Temporal' },
  },
})
const times = wholeNumber('times', values.times, { least: 1, otherwise: 3 })
const seed = wholeNumber('seed', values.seed, { least: 0, otherwise: Math.floor(Math.random() * 1_000_000) })
const random = new Random(seed)
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Milliseconds that the mail server takes for an email, so that some are in flight at each backup. */
const PACE_MS = 100
const ENV = { LOG_LEVEL: 'error', SECRETS_KEY: 'k'.repeat(44) }

const folder = mkdtempSync(join(tmpdir(), 'dripline-restores-'))
const original = await startSmtpSink(() => delay(PACE_MS))
let product: Product | undefined

/** Makes the backups while contacts enter. @returns what has to arrive */
async function makeBackups(): Promise<{ life: Life; savedAt: number[] }> {
  product = await startProduct(join(folder, 'original'), original.url, undefined, ENV)
  await trackOpens(join(folder, 'original'))
  const { life, step } = await beginLife(product, random)
  let isOver = false
  const living = (async () => {
    while (!isOver) await Promise.all([step(), delay(700)])
  })()
  const savedAt: number[] = []
  for (let n = 0; n < times; n++) {
    await delay(random.between(500, 5_000))
    savedAt.push(Date.now())
    await product.cli('backup', join(folder, `${n}.backup`))
    say(`Backup ${n + 1} of ${times}, after ${original.mails.length} emails`)
  }
  isOver = true
  await living
  await product.kill()
  return { life, savedAt }
}

/** Switches on what a winner by opens requires. Over HTTP, only people who are signed in can. */
async function trackOpens(dataDir: string): Promise<void> {
  const client = new Client({ connectionString: readRunning(dataDir).databaseUrl! })
  await client.connect()
  await client.query('insert into senders (workspace_id, track_opens) select id, true from workspaces')
  await client.end()
}

/** Restores a backup, and judges it. @returns whether nothing is wrong */
async function tryRestore(n: number, life: Life, savedAt: number): Promise<boolean> {
  const restored = await startSmtpSink()
  const dataDir = join(folder, `restored-${n}`)
  const without = values['without-temporal'] ? ['--without-temporal'] : []
  try {
    await runCli(dataDir, ['restore', ...without, join(folder, `${n}.backup`)])
    product = await startProduct(dataDir, restored.url, undefined, ENV)
    product.use(values['without-temporal'] ? await createKey(product) : life.key)
    const { wrong, counts } = await judge(product, life, { original, restored, savedAt })
    say(`Restore ${n + 1} of ${times}: ${JSON.stringify(counts)}`)
    for (const sentence of wrong.slice(0, 20)) say(`  WRONG: ${sentence}`)
    return wrong.length === 0
  } finally {
    await product?.kill()
    await restored.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

say(`Seed ${seed}`)
let failed = 0
try {
  const { life, savedAt } = await makeBackups()
  for (const [n, at] of savedAt.entries()) if (!(await tryRestore(n, life, at))) failed += 1
} finally {
  await product?.kill()
  await original.close()
  rmSync(folder, { recursive: true, force: true })
}
say(failed === 0 ? `${times} of ${times} passed` : `${failed} of ${times} FAILED (seed ${seed})`)
process.exit(failed === 0 ? 0 : 1)
