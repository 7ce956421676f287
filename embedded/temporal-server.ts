import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { Connection, isGrpcServiceError } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import { run } from './tools/run.ts'
import { assertPortFree, waitForPort } from './ports.ts'
import { ensureRole, readPassword } from './postgres-roles.ts'
import { startProcess, type RunningProcess } from './child-process.ts'
import type { EmbeddedOptions } from './protocol.ts'
import type { RunningTemporal } from './temporal.ts'

/** Enough for one machine. The number cannot be changed once there is data. */
const HISTORY_SHARDS = 4
const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const
/** The settings that the server in Compose also has. */
const DYNAMIC_CONFIG = fileURLToPath(new URL('../scripts/cluster/temporal-settings.yaml', import.meta.url))
/** The owner of these databases, without superuser rights. */
const ROLE = 'temporal'
const NAMESPACE = 'default'
const NAMESPACE_TIMEOUT_MS = 60_000

/**
 * Starts Temporal's server on Postgres, with all four services in one process, the latest schema and the default namespace, like
 * the image `temporalio/auto-setup`.
 *
 * @param superuserUrl the Postgres in which it gets a role and databases of its own
 * @see https://docs.temporal.io/references/configuration
 */
export async function startTemporalServer(
  dataDir: string,
  options: NonNullable<EmbeddedOptions['temporalServer']>,
  superuserUrl: string,
  onExit: () => void,
  aborted: AbortSignal,
): Promise<RunningTemporal> {
  const { serverPath, port } = options
  const databaseUrl = await prepareDatabases(dataDir, options, superuserUrl)
  const config = join(dataDir, 'temporal-server.yaml')
  // JSON is valid YAML. The file contains the password, so only its owner can read it.
  writeFileSync(config, JSON.stringify(configuration(options, databaseUrl), null, 2), { mode: 0o600 })
  const args = ['--root', dataDir, '--config', '.', '--env', 'temporal-server', '--allow-no-auth', 'start']
  const server = await startProcess(dataDir, { name: 'temporal', command: serverPath, args }, async () => {
    for (const each of [port, ...innerPortsOf(port)]) await assertPortFree('TEMPORAL_PORT', each)
  })
  await waitForPort('Temporal', port, server, aborted)
  await ensureNamespace(`127.0.0.1:${port}`, options.retentionHours, server)
  void server.ended.then(onExit)
  return { address: `127.0.0.1:${port}`, stop: () => server.stop() }
}

/** @returns the URL of its role, without a database */
async function prepareDatabases(
  dataDir: string,
  { sqlToolPath, passwordFile = join(dataDir, 'temporal-password') }: NonNullable<EmbeddedOptions['temporalServer']>,
  superuserUrl: string,
): Promise<string> {
  const password = readPassword(passwordFile)
  await ensureRole(superuserUrl, { name: ROLE, password, databases: Object.keys(DATABASES) })
  const { hostname, port } = new URL(superuserUrl)
  for (const [database, schema] of Object.entries(DATABASES)) {
    const tool = (...args: string[]) =>
      run(
        sqlToolPath,
        ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', ROLE, '--db', database, ...args],
        {
          env: { SQL_PASSWORD: password },
          say: () => undefined,
        },
      )
    await tool('setup-schema', '--version', '0.0')
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`)
  }
  return `postgresql://${ROLE}:${encodeURIComponent(password)}@${hostname}:${port}`
}

function configuration({ port }: NonNullable<EmbeddedOptions['temporalServer']>, databaseUrl: string): object {
  const { hostname, port: postgresPort, username, password } = new URL(databaseUrl)
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${hostname}:${postgresPort}`,
      connectProtocol: 'tcp',
      user: username,
      password: decodeURIComponent(password),
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  })
  const service = (grpcPort: number, membershipPort: number) => ({
    rpc: { grpcPort, membershipPort, bindOnLocalHost: true },
  })
  const [frontend, matching, matchingRing, history, historyRing, worker, workerRing] = innerPortsOf(port)
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: service(port, frontend),
      matching: service(matching, matchingRing),
      history: service(history, historyRing),
      worker: service(worker, workerRing),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `127.0.0.1:${port}` },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: DYNAMIC_CONFIG, pollInterval: '1m' },
  }
}

/** The internal ports of its services: the seven after the one for clients. */
const innerPortsOf = (port: number) => [1, 2, 3, 4, 5, 6, 7].map((n) => port + n) as SevenPorts
type SevenPorts = [number, number, number, number, number, number, number]

/** Creates the default namespace if it is missing, and waits until all of the server's services know it. */
async function ensureNamespace(address: string, retentionHours: number, server: RunningProcess): Promise<void> {
  const connection = Connection.lazy({ address })
  const { workflowService } = connection
  try {
    for (const deadline = Date.now() + NAMESPACE_TIMEOUT_MS; ; await delay(200)) {
      try {
        await workflowService.listWorkflowExecutions({ namespace: NAMESPACE, pageSize: 1 })
        return
      } catch (error) {
        if (Date.now() > deadline || server.hasEnded()) throw error
        if (!isGrpcServiceError(error) || !/not found/i.test(error.message)) continue
      }
      await workflowService
        .registerNamespace({
          namespace: NAMESPACE,
          workflowExecutionRetentionPeriod: msToTs(retentionHours * 3_600_000),
        })
        // It exists already, but not all services know it yet.
        .catch(() => undefined)
    }
  } finally {
    await connection.close()
  }
}
