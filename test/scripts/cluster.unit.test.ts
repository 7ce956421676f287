import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readComposeFile } from '../../scripts/cluster/compose-file.ts'
import { GO_TOOLS } from '../../embedded/tools/go-tools.ts'

const COMPOSE_FILE = join(import.meta.dirname, '../../docker-compose.yml')

describe('docker-compose.yml as `npm run cluster` reads it', () => {
  const { services, secrets } = readComposeFile(COMPOSE_FILE, { PORT: '15000' })
  const { networks } = parse(readFileSync(COMPOSE_FILE, 'utf8'), { merge: true }) as {
    networks: { default: { ipam: { config: { subnet: string }[] } } }
  }
  const { subnet } = networks.default.ipam.config[0]!

  it('has two APIs and two workers, each with its own and the shared settings', () => {
    const { api, worker } = services
    assert.equal(api?.replicas, 2)
    assert.equal(worker?.replicas, 2)
    assert.equal(worker?.stopMs, 30_000)
    assert.deepEqual(api?.command, ['node', 'src/bin/api.ts'])
    assert.equal(api?.environment['TEMPORAL_ADDRESS'], 'temporal:7233')
    assert.equal(api?.environment['TRUSTED_PROXIES'], subnet)
    assert.equal(worker?.environment['TRUSTED_PROXIES'], undefined)
    assert.match(worker?.environment['NODE_OPTIONS'] ?? '', /--max-old-space-size=\d+/)
    assert.equal(worker?.environment['TEMPORAL_ADDRESS'], 'temporal:7233')
  })

  it('reads ports from the environment, with defaults', () => {
    assert.deepEqual(services['proxy']?.published, new Map([[3000, 15000]]))
    assert.deepEqual(services['temporal-ui']?.published, new Map([[8080, 8080]]))
  })

  it('reads its secrets from files beside it', () => {
    const names = ['postgres-password', 'dripline-password', 'temporal-password', 'secrets-key']
    assert.deepEqual(secrets, Object.fromEntries(names.map((name) => [name, join(COMPOSE_FILE, '../secrets', name)])))
  })

  it('has the versions to build if there are no images', () => {
    const tagOf = (service: string) => services[service]?.image.split(':').at(-1)?.replace(/^v/, '')
    const versionOf = (tool: keyof typeof GO_TOOLS) => GO_TOOLS[tool].version.replace(/^v/, '')
    assert.equal(tagOf('temporal'), versionOf('temporal-server'))
    assert.equal(tagOf('temporal'), versionOf('temporal-sql-tool'))
    assert.equal(tagOf('temporal-ui'), versionOf('temporal-ui-server'))
    assert.equal(tagOf('proxy'), versionOf('caddy'))
  })
})
