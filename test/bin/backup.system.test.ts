import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pMap from 'p-map'
import { create, extract } from 'tar'
import { subjectOf } from '../support/busy-folder/make.ts'
import { startProduct, type Product } from '../support/busy-folder/product.ts'
import { restore } from '../../src/bin/commands/restore.ts'
import { eventually } from '../support/eventually.ts'
import { ROOT, startEnvironment } from '../support/npm-start.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const CONTACTS = 40
const SUBJECTS = ['one', 'two', 'three']

interface Listed {
  status: string
  subject: string | null
  to: string | null
  contactId: string
  stepId: string
}

describe('a backup of npm start', function () {
  this.timeout(300_000)
  let folder: string
  let sink: SmtpSink
  let product: Product | undefined
  /** Milliseconds that the mail server takes for a message, so that the load lasts for a while. */
  let pace: number

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-backup-'))
    pace = 150
    sink = await startSmtpSink(() => new Promise((resolve) => setTimeout(resolve, pace)))
  })
  after(async () => {
    await product?.kill()
    await sink.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const cli = async (dataDir: string, args: string[], more: NodeJS.ProcessEnv = {}) => {
    const env = await startEnvironment(dataDir, more)
    const run = promisify(execFile)('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: ROOT, env })
    return run.then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        text: error.stdout + error.stderr,
      }),
    )
  }
  const messages = async (of: Product): Promise<Listed[]> => {
    const all: Listed[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { data: Listed[]; pagination: { nextCursor: string | null } } = (await of.call(
        'GET',
        `messages?limit=100${cursor && `&cursor=${cursor}`}`,
      )) as never
      all.push(...page.data)
      cursor = page.pagination.nextCursor
    }
    return all
  }
  const addressOf = (n: number) => `backup-${n}@example.com`
  /** Returns how often each step’s email reached each mailbox. */
  const taken = () => {
    const counts = new Map<string, number>()
    for (const mail of sink.mails) {
      const of = `${String(mail.to)} ${subjectOf(mail)}`
      counts.set(of, (counts.get(of) ?? 0) + 1)
    }
    return counts
  }

  const createKey = async (of: Product): Promise<string> => {
    const [first] = JSON.parse(await of.cli('workspace', 'list', '--json')) as [{ id: string }]
    // The tests must not reach the rate limit of this key.
    const made = await of.cli(
      ...['key', 'create', '--workspace', first.id, '--name', 'Tests', '--scopes', 'all'],
      ...['--rate-limit', '100000', '--json'],
    )
    return (JSON.parse(made) as { key: string }).key
  }
  /** Waits until all enrollments are completed, and checks that no email was sent twice. */
  async function allThrough(of: Product): Promise<void> {
    await eventually(
      'all enrollments are completed',
      async () => {
        const { data } = (await of.call('GET', `automations/${automationId}/enrollments?limit=100`)) as {
          data: { status: string }[]
        }
        return (data.length >= CONTACTS && data.every(({ status }) => status === 'COMPLETED')) || undefined
      },
      120_000,
    )
    assert.deepEqual(
      [...taken()].filter(([, count]) => count > 1),
      [],
      'an email was sent twice',
    )
  }

  /** The backup, which was made under load, before a kill -9. */
  let file: string
  let key: string
  let automationId: string
  before('makes a backup under load', async () => {
    file = join(folder, 'under-load.backup')
    const dataDir = join(folder, 'first')
    product = await startProduct(dataDir, sink.url)
    key = await createKey(product)
    product.use(key)
    const { data } = (await product.call('POST', 'automations', {
      name: 'Under load',
      status: 'ACTIVE',
      trigger: 'EVENT',
      triggerConfig: { eventName: 'never' },
      steps: SUBJECTS.map((subject) => ({ type: 'EMAIL', subject, text: 'x' })),
    })) as { data: { id: string } }
    automationId = data.id
    await pMap(Array.from({ length: CONTACTS }).keys(), (n) => enter(product!, addressOf(n)), { concurrency: 10 })
    await eventually('half of the emails are sent', () => sink.mails.length > CONTACTS / 2 || undefined)
    // The command may be slow to start, and must find emails that are not sent yet.
    pace = 1_500
    await product.cli('backup', file)
    const atBackup = sink.mails.length
    assert.ok(atBackup < CONTACTS * SUBJECTS.length, 'the load ended before the backup')
    // Emails sent from now on are not in the backup.
    const kept = await cli(dataDir, ['backup', file])
    assert.match(kept.text, /already exists\. Name another file/)
    pace = 150
    await eventually('more emails are sent', () => sink.mails.length >= atBackup + 5 || undefined)
    await product.kill()
    pace = 0
  })
  const enter = async (of: Product, email: string) => {
    const { data } = (await of.call('POST', 'contacts', { email })) as { data: { id: string } }
    await of.call('POST', `automations/${automationId}/enroll`, { contactId: data.id })
  }

  it('restores a backup made under load, and sends each email exactly once after a kill -9', async () => {
    const atKill = sink.mails.length
    const restoredDir = join(folder, 'restored')
    const restored = await cli(restoredDir, ['restore', file])
    assert.equal(restored.code, 0, restored.text)
    product = await startProduct(restoredDir, sink.url)
    assert.match(product.run.text(), /restored from a backup/)
    product.use(key)
    assert.equal(sink.mails.length, atKill, 'it sent mail before reconciliation')
    const result = JSON.parse(await product.cli('reconcile', '--json')) as { failed: number }
    assert.equal(result.failed, 0)
    await allThrough(product)
    const counts = taken()
    const stored = await messages(product)
    assert.equal(stored.length, CONTACTS * SUBJECTS.length)
    // Each message that is SENT was received. The others are UNCONFIRMED. No message is missing.
    assert.deepEqual(new Set(stored.map(({ status }) => status)), new Set(['SENT', 'UNCONFIRMED']))
    for (const { status, to, subject } of stored)
      if (status === 'SENT') assert.equal(counts.get(`${to} ${subject}`), 1, `${subject} to ${to}`)
    // New enrollments work as usual.
    await enter(product, 'later@example.com')
    await eventually('a later contact gets all emails', () => taken().get('later@example.com three'))
    await product.stop()
  })

  it('restores without the data of Temporal, because the database knows the position of each enrollment', async () => {
    const dataDir = join(folder, 'without-temporal')
    assert.equal((await cli(dataDir, ['restore', '--without-temporal', file])).code, 0)
    assert.ok(!existsSync(join(dataDir, 'temporal.db')))
    await assert.rejects(startProduct(dataDir, sink.url, ROOT, { MAIL_FROM: '' }), /no sender is set/)
    product = await startProduct(dataDir, sink.url)
    product.use(key)
    await assert.rejects(product.call('GET', 'whoami'), 'a key from the backup is accepted')
    product.use(await createKey(product))
    const resumed = JSON.parse(await product.cli('reconcile', '--json')) as { differences: { what: string }[] }
    assert.ok(resumed.differences.every(({ what }) => what === 'resumed'))
    await allThrough(product)
    await product.stop()
  })

  it('sends nothing from a copy of a stopped folder until it is reconciled', async () => {
    const dataDir = join(folder, 'copied')
    const copy = join(folder, 'copy')
    product = await startProduct(dataDir, sink.url)
    await product.stop()
    await promisify(execFile)('cp', ['-a', dataDir, copy])
    rmSync(dataDir, { recursive: true })
    renameSync(copy, dataDir)
    product = await startProduct(dataDir, sink.url)
    assert.match(product.run.text(), /its folder is a copy/)
    assert.match(await product.cli('reconcile', '--dry-run'), /Sending is still disabled/)
    assert.match(await product.cli('reconcile', '--nothing-lost'), /Sending is enabled/)
    await product.stop()
    product = await startProduct(dataDir, sink.url)
    assert.doesNotMatch(product.run.text(), /its folder is a copy/)
    await product.stop()
  })

  describe('restore', () => {
    let bad: string
    beforeEach(() => (bad = join(folder, 'bad.backup')))
    afterEach(() => rmSync(bad, { force: true }))

    /** Restores in this process, which takes no time to start. */
    const refuses = async (words: RegExp, dataDir = join(folder, 'refused'), more: NodeJS.ProcessEnv = {}) => {
      const before = existsSync(dataDir) ? readdirSync(dataDir) : undefined
      const umask = process.umask()
      const env = { DATA_DIR: dataDir, ...more }
      try {
        Object.assign(process.env, env)
        await assert.rejects(
          restore(bad, { withoutTemporal: false }, () => undefined),
          words,
        )
      } finally {
        for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name)
        process.umask(umask)
      }
      assert.deepEqual(existsSync(dataDir) ? readdirSync(dataDir) : undefined, before, 'files are left behind')
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('dripline-restore')),
        [],
      )
    }
    /** A copy of the good backup with one change. */
    async function changed(change: (unpacked: string) => void): Promise<void> {
      const unpacked = mkdtempSync(join(folder, 'unpacked-'))
      await extract({ file, cwd: unpacked })
      change(unpacked)
      await create({ file: bad, cwd: unpacked }, readdirSync(unpacked))
      rmSync(unpacked, { recursive: true })
    }
    interface Changeable {
      version: string
      migrations: string[]
      format: number
      tables: { name: string; columns: string[]; sha256: string }[]
      sequences: { name: string; last: string }[]
    }
    const rewrite = (unpacked: string, change: (manifest: Changeable) => void) => {
      const path = join(unpacked, 'manifest.json')
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as Changeable
      change(manifest)
      writeFileSync(path, JSON.stringify(manifest))
    }

    it('rejects a truncated file', async () => {
      copyFileSync(file, bad)
      truncateSync(bad, Math.floor(readFileSync(file).length / 2))
      await refuses(/is not a backup, or is incomplete|It is incomplete/)
    })

    it('rejects a file that is not a backup', async () => {
      writeFileSync(bad, 'x'.repeat(10_000))
      await refuses(/is not a backup, or is incomplete/)
    })

    it('rejects a damaged file', async () => {
      await changed((unpacked) => writeFileSync(join(unpacked, 'contacts.copy.gz'), 'x'))
      await refuses(/contacts\.copy\.gz has changed/)
    })

    it('rejects a backup of a newer version', async () => {
      await changed((unpacked) => rewrite(unpacked, ({ migrations }) => void migrations.push('999-the-future')))
      await refuses(/newer than this version: its database has the migrations 999-the-future/)
      // This version may be unable to replay the workflows of a newer one.
      await changed((unpacked) => rewrite(unpacked, (manifest) => void (manifest.version = '0.10.0')))
      await refuses(/by Dripline 0\.10\.0, which is newer than this version\. Restore it with that version/)
      await changed((unpacked) => rewrite(unpacked, (manifest) => void (manifest.format = 2)))
      await refuses(/has format 2/)
    })

    it('rejects a backup with unknown tables, columns or sequences', async () => {
      const foreign = [
        (manifest: Changeable) => void (manifest.tables[0]!.name = 'pg_proc'),
        (manifest: Changeable) => void manifest.tables.pop(),
        (manifest: Changeable) => void manifest.sequences.push({ name: 'pg_class', last: '1' }),
      ]
      for (const change of foreign) {
        await changed((unpacked) => {
          rewrite(unpacked, change)
          copyFileSync(join(unpacked, 'contacts.copy.gz'), join(unpacked, 'pg_proc.copy.gz'))
          const digest = createHash('sha256')
            .update(readFileSync(join(unpacked, 'contacts.copy.gz')))
            .digest('hex')
          rewrite(unpacked, ({ tables }) => {
            for (const table of tables) if (table.name === 'pg_proc') table.sha256 = digest
          })
        })
        await refuses(/Its tables are not those of the version that made it/)
      }
    })

    it('rejects a folder that is not empty', async () => {
      copyFileSync(file, bad)
      const dataDir = join(folder, 'full')
      mkdirSync(dataDir)
      writeFileSync(join(dataDir, 'letter.txt'), 'mine')
      await refuses(/is not empty \(letter\.txt/, dataDir)
    })

    it('rejects external servers as the target', async () => {
      copyFileSync(file, bad)
      await refuses(/DATABASE_URL or TEMPORAL_ADDRESS is set/, join(folder, 'refused'), {
        DATABASE_URL: 'postgresql://localhost/x',
      })
    })

    it('rejects a missing file, and a backup of a folder where Dripline is not running', async () => {
      const missing = await cli(join(folder, 'nothing'), ['restore', bad])
      assert.equal(missing.code, 1)
      assert.match(missing.text, /The file .* does not exist/)
      const none = await cli(join(folder, 'nothing'), ['backup', bad])
      assert.equal(none.code, 1)
      assert.match(none.text, /Nothing is running on/)
      assert.equal(existsSync(bad), false)
    })

    it('rejects a concurrent restore, and repeats one that was killed before Dripline can start', async () => {
      const dataDir = join(folder, 'half')
      const env = await startEnvironment(dataDir)
      const first = spawn(process.execPath, ['src/bin/cli.ts', 'restore', file], { cwd: ROOT, env, stdio: 'ignore' })
      const ended = once(first, 'exit')
      await eventually('the restore has begun', () =>
        existsSync(join(dataDir, 'restore.unfinished')) ? true : undefined,
      )
      const second = await cli(dataDir, ['restore', file])
      assert.match(second.text, /Another restore into .* is running|Another Dripline .* is running on/)
      assert.equal(second.code, 1)
      first.kill('SIGKILL')
      await ended
      const start = await promisify(execFile)('node', ['src/bin/start.ts'], { cwd: ROOT, env }).catch(
        (error: unknown) => error as { code: number; stderr: string },
      )
      assert.match(start.stderr, /was interrupted, or is running: the folder is incomplete/)
      const again = await cli(dataDir, ['restore', file])
      assert.equal(again.code, 0, again.text)
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => /restore/.test(name)),
        [],
      )
    })
  })
})
