/**
 * `npm run cluster`: runs docker-compose.yml from binaries instead of images, on a machine without Docker. Services, replicas,
 * settings, secrets and published ports are read from that file.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { main, createStopSignal, whenAborted } from '../../src/bin/lifecycle.ts'
import { rejectOptions } from '../../src/bin/no-options.ts'
import { readConfig } from '../../src/platform/config.ts'
import { startEmbedded } from '../../embedded/client.ts'
import { makeDataFolder } from '../../embedded/data-folder.ts'
import { assertFolderFree } from '../../embedded/owner.ts'
import { assertPortFree } from '../../embedded/ports.ts'
import { resolveGoTool } from '../../embedded/tools/go-tools.ts'
import { run } from '../../embedded/tools/run.ts'
import { balance } from './balancer.ts'
import { readComposeFile, type ComposeService } from './compose-file.ts'
import { temporalServer } from './temporal-server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Each container has its own ports. Without containers, the APIs use consecutive ports from this one. */
const API_PORTS = 13_001
const SMTP_PORT = 11_025
const METRICS_PORTS = 19_464

main(async () => {
  rejectOptions('npm run cluster')
  const config = readConfig(process.env)
  const { services, secrets } = readComposeFile(join(ROOT, 'docker-compose.yml'), process.env)
  const service = (name: string): ComposeService => {
    const found = services[name]
    if (!found) throw new Error(`docker-compose.yml has no service "${name}"`)
    return found
  }
  const [api, worker, migrate, temporal] = ['api', 'worker', 'migrate', 'temporal'].map(service) as [
    ComposeService,
    ComposeService,
    ComposeService,
    ComposeService,
  ]
  const port = published(service('proxy'), 3000)
  const uiPort = published(service('temporal-ui'), 8080)
  const mailPort = published(service('mailpit'), 8025)

  const stop = createStopSignal(() => say('\nThe cluster is stopping …'))

  for (const [name, file] of Object.entries(secrets)) makeSecret(name, file)
  const secret = (name: string): string => {
    const file = secrets[name]
    if (file === undefined) throw new Error(`docker-compose.yml has no secret "${name}"`)
    return file
  }
  const dataDir = join(config.dataDir, 'cluster')
  makeDataFolder(dataDir)
  assertFolderFree(dataDir)
  const [ui, caddy] = [
    await resolveGoTool('temporal-ui-server', process.env, say, stop),
    await resolveGoTool('caddy', process.env, say, stop),
  ]
  const cluster = await startEmbedded(
    {
      dataDir,
      postgres: {
        port: config.POSTGRES_PORT,
        superuserPasswordFile: secret('postgres-password'),
        passwordFile: secret('dripline-password'),
      },
      temporalServer: await temporalServer(
        config.TEMPORAL_PORT,
        parseInt(temporal.environment['DEFAULT_NAMESPACE_RETENTION'] ?? '72h', 10),
        secret('temporal-password'),
        say,
        stop,
      ),
    },
    say,
    stop,
  )
  try {
    await assertPortFree('PORT', port, '0.0.0.0')
    await assertPortFree('TEMPORAL_UI_PORT', uiPort)
    await assertPortFree('MAILPIT_PORT', mailPort)
    /** A service's environment with addresses and paths of this machine instead of the containers'. */
    const environmentOf = ({ environment }: ComposeService): NodeJS.ProcessEnv => ({
      ...process.env,
      ...Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          value
            .replace('@postgres:5432', `@127.0.0.1:${config.POSTGRES_PORT}`)
            .replace(/^temporal:7233$/, `127.0.0.1:${config.TEMPORAL_PORT}`)
            .replace('//mailpit:1025', `//127.0.0.1:${SMTP_PORT}`)
            .replace(/^\/run\/secrets\/(.+)$/, (path, secret: string) => secrets[secret] ?? path),
        ]),
      ),
    })
    const commandOf = ({ command: [, ...args] }: ComposeService) => ({
      command: process.execPath,
      args: args.map((arg) => (arg.startsWith('src/') ? join(ROOT, arg) : arg)),
    })

    const migration = commandOf(migrate)
    await run(migration.command, migration.args, { env: environmentOf(migrate), say, aborted: stop })
    const bundle = join(dataDir, 'workflows.js')
    await run(process.execPath, [join(ROOT, 'scripts/bundle-workflows.ts'), bundle], { say, aborted: stop })

    cluster.keep({
      name: 'mail-server',
      command: process.execPath,
      args: [join(ROOT, 'scripts/cluster/mail-server.ts'), String(SMTP_PORT), String(mailPort)],
    })
    writeFileSync(join(dataDir, 'temporal-ui.yaml'), JSON.stringify(uiConfiguration(uiPort, config.TEMPORAL_PORT)))
    cluster.keep({
      name: 'temporal-ui',
      command: ui,
      args: ['--root', dataDir, '--config', '.', '--env', 'temporal-ui', 'start'],
    })
    let metricsPort = METRICS_PORTS
    const replicas = (name: string, of: ComposeService, own: (n: number) => NodeJS.ProcessEnv) =>
      Array.from({ length: of.replicas }, (_, n) =>
        cluster.keep({
          name: `${name}-${n + 1}`,
          ...commandOf(of),
          stopMs: of.stopMs,
          env: {
            ...environmentOf(of),
            METRICS_PORT: String(metricsPort++),
            HOST: '127.0.0.1',
            METRICS_HOST: '127.0.0.1',
            ...own(n),
          },
        }),
      )
    replicas('worker', worker, () => ({ WORKFLOW_BUNDLE: bundle }))
    replicas('api', api, (n) => ({ PORT: String(API_PORTS + n), TRUSTED_PROXIES: '127.0.0.1' }))
    const apiPorts = Array.from({ length: api.replicas }, (_, n) => API_PORTS + n)
    cluster.keep({ name: 'proxy', command: caddy, args: balance(dataDir, `http://:${port}`, apiPorts) })

    await ready(
      [`http://127.0.0.1:${port}`, ...apiPorts.map((each) => `http://127.0.0.1:${each}`)],
      cluster.ended,
      stop,
    )
    const first = commandOf({ ...migrate, command: [...migrate.command.slice(0, -1), 'init'] })
    const args = [...first.args, '--url', `http://localhost:${port}`]
    say(await run(first.command, args, { env: environmentOf(migrate), say }))
    say(`Temporal UI: http://localhost:${uiPort}`)
    say(`Mail:        http://localhost:${mailPort}`)
    say(`Logs:        ${join(dataDir, 'logs')}`)
    say('\nCtrl-C stops everything.')
    await Promise.race([whenAborted(stop), cluster.ended])
  } finally {
    await cluster.stop()
  }
})

function published({ image, published: ports }: ComposeService, inside: number): number {
  const outside = ports.get(inside)
  if (outside === undefined) throw new Error(`docker-compose.yml does not publish port ${inside} of ${image}`)
  return outside
}

/** Creates a secret as the comment at the top of docker-compose.yml describes: the file is world-readable, in a closed folder. */
function makeSecret(name: string, file: string): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  chmodSync(dirname(file), 0o700)
  writeFileSync(file, `${randomBytes(24).toString('hex')}\n`)
  say(`Created the secret ${name}: ${file}`)
}

const uiConfiguration = (port: number, temporalPort: number) => ({
  temporalGrpcAddress: `127.0.0.1:${temporalPort}`,
  host: '127.0.0.1',
  port,
  enableUi: true,
  defaultNamespace: 'default',
  notifyOnNewVersion: false,
})

/** Waits until all of these APIs report that Postgres and Temporal can be reached. */
async function ready(bases: string[], ended: Promise<void>, stop: AbortSignal): Promise<void> {
  const gone = ended.then(() => true)
  for (const base of bases) {
    const answers = () =>
      fetch(`${base}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await answers())) {
      stop.throwIfAborted()
      if (await Promise.race([gone, delay(200).then(() => false)])) throw new Error('The cluster ended during startup')
    }
  }
}
