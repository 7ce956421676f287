import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { makeDataFolder } from '../../embedded/data-folder.ts'
import {
  hasEnded,
  leftOvers,
  nothingIsLeft,
  npmStart,
  ready,
  ROOT,
  says,
  signalGroup,
  startEnvironment,
  type Started,
} from '../support/npm-start.ts'
import { freePorts } from '../support/ports.ts'

const LINUX = process.platform === 'linux'
const NOBODY = 65_534

/** Tests mistakes and interruptions of new users. Each test has its own folder and leaves nothing behind. */
describe('a first start', function () {
  this.timeout(120_000)
  let folder: string
  let dataDir: string
  let runs: Started[]
  const start = (env: NodeJS.ProcessEnv, cwd = ROOT, script?: string): Started => {
    const run = npmStart(env, { cwd, ...(script === undefined ? {} : { script }) })
    runs.push(run)
    return run
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-first-'))
    dataDir = join(folder, 'data')
    runs = []
  })
  afterEach(async () => {
    for (const run of runs) if (!hasEnded(run)) signalGroup(run, 'SIGKILL')
    await nothingIsLeft(folder)
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts in a folder that only its owner can enter, on a path with spaces, even as root', async () => {
    const project = join(folder, 'a project')
    mkdirSync(project)
    const parts = ['package.json', 'src', 'scripts', 'embedded', 'workflows', 'activities', 'node_modules']
    const copy = (how: string) => execFileSync('cp', [how, ...parts.map((part) => join(ROOT, part)), project])
    try {
      copy('-al')
    } catch {
      copy('-a')
    }
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    // An empty variable counts as unset.
    const run = start(await startEnvironment(''), project)
    await ready(run)
    assert.ok(existsSync(join(project, 'data/postgres/PG_VERSION')), 'the data is in DATA_DIR')
    signalGroup(run, 'SIGTERM')
    assert.equal(await run.code, 0)
    assert.match(run.text(), /Dripline is stopping …\s+Dripline has stopped\.\s*$/)
    assert.equal(statSync(folder).mode & 0o777, 0o700, 'the permissions of the folder are unchanged')
  })

  it('leaves nothing running and prints the reason when a port is taken', async () => {
    const [taken] = (await freePorts(1)) as [number]
    const server = createServer()
    const second = createServer()
    await new Promise<void>((listening) => server.listen(taken, '127.0.0.1', listening))
    await new Promise<void>((listening) => second.listen(0, '127.0.0.1', listening))
    try {
      for (const variable of ['POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'PORT']) {
        const env = await startEnvironment(dataDir, { [variable]: String(taken) })
        const run = start(env)
        assert.equal(await run.code, 1)
        assert.ok(run.text().includes(`Port ${taken} is in use by another program. Set ${variable} to a free port`))
        assert.doesNotMatch(run.text(), /^\s+at /m)
        assert.deepEqual(await leftOvers(dataDir), [])
      }
      // On the first start, all ports are checked at once.
      const { port: other } = second.address() as AddressInfo
      const fresh = join(folder, 'fresh')
      const run = start(await startEnvironment(fresh, { PORT: String(taken), TEMPORAL_UI_PORT: String(other) }))
      assert.equal(await run.code, 1)
      for (const port of [taken, other]) assert.ok(run.text().includes(`Port ${port} is in use`), run.text())
      assert.ok(!existsSync(fresh))
    } finally {
      second.close()
      server.close()
    }
  })

  it('rejects a folder with other files, and does not change it', async () => {
    const full = join(folder, 'full')
    mkdirSync(full, { mode: 0o755 })
    writeFileSync(join(full, 'hosts'), '')
    const run = start(await startEnvironment(full))
    assert.equal(await run.code, 1)
    assert.match(run.text(), /cannot be used: it has other files \(hosts …\)\. Set it to a folder of its own/)
    assert.deepEqual(readdirSync(full), ['hosts'])
    assert.equal(statSync(full).mode & 0o777, 0o755)
  })

  it('rejects a data folder that it cannot create, and one of another user', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const wrong of [...(LINUX ? ['/proc/nope'] : []), file, join(file, 'below')])
      assert.throws(() => makeDataFolder(wrong), /DATA_DIR \(.*\) cannot be used: .*Set it to a folder/)
    if (process.getuid?.() !== 0) return
    const theirs = join(folder, 'theirs')
    mkdirSync(theirs)
    chownSync(theirs, NOBODY, NOBODY)
    assert.throws(() => makeDataFolder(theirs), /cannot be used: it belongs to another user \(65534\)/)
  })

  it('stops on the first Ctrl-C at any stage, and the next start continues', async () => {
    const [away] = (await freePorts(1)) as [number]
    const stages = [
      ['> exec', {}],
      ['creating its database folder', {}],
      ['Temporal:', {}],
      ['created the tables', {}],
      ['Temporal is not reachable yet', { TEMPORAL_ADDRESS: `127.0.0.1:${away}` }],
    ] as const
    for (const [stage, more] of stages) {
      const run = start(await startEnvironment(dataDir, more))
      await says(run, stage)
      signalGroup(run, 'SIGINT')
      await run.code
      assert.deepEqual(await leftOvers(dataDir), [])
      assert.doesNotMatch(run.text(), /svc_live_/, stage)
      if (stage.endsWith('yet')) assert.match(run.text(), /"reason":"[^"]*ECONNREFUSED/)
      else assert.doesNotMatch(run.text(), /Error/, stage)
    }
    const next = start(await startEnvironment(dataDir))
    await ready(next)
    assert.match(next.text(), /^export DRIPLINE_API_KEY=svc_live_/m)
    signalGroup(next, 'SIGINT')
    assert.equal(await next.code, 0)
  })

  it('protects its folder, its secrets and its ports, and stops all its processes when only npm gets SIGTERM', async () => {
    const [metrics] = (await freePorts(1)) as [number]
    const more = { SMTP_URL: 'smtp://me:hush@127.0.0.1:2525', HOST: '0.0.0.0', METRICS_PORT: String(metrics) }
    const env = await startEnvironment(dataDir, more)
    const run = start(env)
    await ready(run)
    await protectsFolder(dataDir)
    await protectsDatabase(dataDir)
    await servesOnLoopback(env)
    assert.ok((await leftOvers(dataDir)).length > 2)
    run.child.kill('SIGTERM')
    assert.equal(await run.code, 0)
    assert.deepEqual(await leftOvers(dataDir), [])
  })
})

/** Files may disappear between the listing and the call, because an ending process cleans up. */
const stat = (path: string) => statSync(path, { throwIfNoEntry: false })
/** All files and folders below a path, including itself. */
const below = (path: string): string[] => [
  path,
  ...(stat(path)?.isDirectory() ? readdirSync(path).flatMap((name) => below(join(path, name))) : []),
]
const readableByOthers = (path: string) => below(path).filter((each) => ((stat(each)?.mode ?? 0) & 0o007) !== 0)

async function protectsFolder(dataDir: string): Promise<void> {
  assert.deepEqual(readableByOthers(dataDir), [])
  const logs = join(dataDir, 'logs')
  for (const each of [logs, ...below(logs), join(dataDir, 'temporal.db')]) {
    assert.equal(statSync(each).mode & 0o077, 0, each)
  }
  if (LINUX) {
    for (const line of (await leftOvers(dataDir)).filter((each) => !each.includes('npm'))) {
      const environment = readFileSync(`/proc/${parseInt(line, 10)}/environ`, 'utf8')
      assert.doesNotMatch(environment, /SMTP_URL|hush/, line)
    }
  }
}

/** Checks the rights of the database user, and that values do not get into the log. */
async function protectsDatabase(dataDir: string): Promise<void> {
  const running = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as { databaseUrl: string }
  const client = new Client({ connectionString: running.databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ super: boolean; createdb: boolean; owner: string }>(
    `select rolsuper as super, rolcreatedb as createdb, pg_get_userbyid(datdba) as owner
           from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  assert.deepEqual(rows, [{ super: false, createdb: false, owner: 'dripline' }])
  await assert.rejects(client.query("select pg_read_file('postgresql.conf')"), /permission denied/)
  await client.query('create table leaks (value text unique)')
  await client.query("insert into leaks values ('private')")
  await assert.rejects(client.query("insert into leaks values ('private')"), /duplicate key/)
  await assert.rejects(client.query('select $1::text::int', ['private']), /private/)
  await assert.rejects(client.query("select 'private' from nowhere"), /nowhere/)
  await client.end()
  const log = readFileSync(join(dataDir, 'logs/postgres.log'), 'utf8')
  assert.match(log, /ready to accept connections/)
  assert.doesNotMatch(log, /private/)
}

/** Checks that only the API accepts connections from other hosts. */
async function servesOnLoopback(env: NodeJS.ProcessEnv): Promise<void> {
  const uiPort = Number(env['TEMPORAL_UI_PORT'])
  const namespaces = await fetch(`http://localhost:${uiPort}/api/v1/namespaces`)
  assert.match(await namespaces.text(), /default/)
  // A web page whose name resolves to this machine must not reach it.
  assert.equal(await statusAs('attacker.example', uiPort), 403)
  assert.equal(await statusAs(`LOCALHOST:${uiPort}`, uiPort), 200)
  assert.equal((await fetch(`http://127.0.0.1:${env['METRICS_PORT']}/metrics`)).status, 200)
  if (!LINUX) return
  assert.equal(await accepts('127.0.0.2', uiPort), false)
  assert.equal(await accepts('127.0.0.2', Number(env['METRICS_PORT'])), false)
  assert.equal(await accepts('127.0.0.2', Number(env['PORT'])), true)
}

/** Requests Temporal's namespaces under the name of a host. */
const statusAs = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/v1/namespaces', headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once('error', reject)
  })

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
