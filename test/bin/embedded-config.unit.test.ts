import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCK_FILE, lockFolder } from '../../embedded/lock.ts'
import { writeRunning } from '../../embedded/running-file.ts'
import { connectedConfig } from '../../src/bin/embedded-config.ts'
import { readConfig } from '../../src/platform/config.ts'

describe('a process next to a running `npm start`', () => {
  let dataDir: string
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'dripline-running-'))))
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = () => connectedConfig(readConfig({ DATA_DIR: dataDir }))

  it('reads the addresses of Postgres and Temporal from the data folder', () => {
    const addresses = { databaseUrl: 'postgresql://a@127.0.0.1:1/a', temporalAddress: '127.0.0.1:2' }
    const release = lockFolder(dataDir)
    writeRunning(dataDir, addresses)
    assert.partialDeepStrictEqual(config(), {
      DATABASE_URL: addresses.databaseUrl,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
    })
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => !name.startsWith(LOCK_FILE)),
      ['running.json'],
    )
    release!()
    // As in a copied folder: its file names the servers of the original.
    assert.throws(config, /^Error: Dripline is not running on/)
  })

  it('names the missing variable when the folder has only one of the servers', () => {
    const release = lockFolder(dataDir)
    writeRunning(dataDir, { temporalAddress: '127.0.0.1:2' })
    assert.throws(config, /^Error: Dripline on .* uses an external Postgres\. Also set DATABASE_URL here/)
    release!()
  })

  it('reports that nothing runs in the folder, or that its running.json is damaged', () => {
    assert.throws(
      config,
      /^Error: Dripline is not running on .*\. Start Dripline there with "npm start", or set DATA_DIR to the folder of a running one/,
    )
    for (const damaged of ['', '{"databaseUrl":', '[1]', '"text"', 'null', '{"databaseUrl":1}']) {
      writeFileSync(join(dataDir, 'running.json'), damaged)
      assert.throws(config, /running\.json is damaged\. Start Dripline again/, damaged)
    }
  })
})
