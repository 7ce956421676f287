import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCK_FILE, lockFolder } from '../../embedded/lock.ts'
import { writeRunning } from '../../embedded/running-file.ts'
import { connectedConfig } from '../../src/bin/embedded-config.ts'
import { readConfig } from '../../src/platform/config.ts'

describe('a part beside a running `npm start`', () => {
  let dataDir: string
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'dripline-running-'))))
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = () => connectedConfig(readConfig({ DATA_DIR: dataDir }))

  it('learns from the data folder where Postgres and Temporal are', () => {
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
    // As in a copy: what it names is the original's.
    assert.throws(config, /^Error: Nothing runs on/)
  })

  it('is told what it has to be set where only one of them is there', () => {
    const release = lockFolder(dataDir)
    writeRunning(dataDir, { temporalAddress: '127.0.0.1:2' })
    assert.throws(config, /^Error: What runs on .* has a Postgres of your own\. Set DATABASE_URL here, too/)
    release!()
  })

  it('is told that nothing runs there, or that what is written there cannot be read', () => {
    assert.throws(
      config,
      /^Error: Nothing runs on .* yet\. Start Dripline there with "npm start", or set DATA_DIR to the folder of the one that runs/,
    )
    for (const damaged of ['', '{"databaseUrl":', '[1]', '"text"', 'null', '{"databaseUrl":1}']) {
      writeFileSync(join(dataDir, 'running.json'), damaged)
      assert.throws(config, /running\.json is damaged\. Start Dripline again/, damaged)
    }
  })
})
