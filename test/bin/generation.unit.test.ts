import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCopy, renewGeneration } from '../../embedded/data-folder.ts'

describe('isCopy', () => {
  let folder: string
  let dataDir: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-generation-'))
    dataDir = join(folder, 'data')
    mkdirSync(dataDir)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('returns false before the first start, between starts, and for a moved folder', () => {
    assert.equal(isCopy(dataDir), false)
    for (let n = 0; n < 3; n += 1) {
      renewGeneration(dataDir)
      assert.equal(isCopy(dataDir), false)
    }
    renameSync(dataDir, join(folder, 'moved'))
    assert.equal(isCopy(join(folder, 'moved')), false)
    renameSync(join(folder, 'moved'), dataDir)
  })

  it('returns true for a copy next to the original, in its place and over it, until it is started', () => {
    const copy = join(folder, 'copy')
    cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
    assert.equal(isCopy(copy), true)
    renewGeneration(dataDir)
    assert.equal(isCopy(dataDir), false)
    copyFileSync(join(copy, 'generation'), join(dataDir, 'generation'))
    assert.equal(isCopy(dataDir), true)
    rmSync(dataDir, { recursive: true })
    renameSync(copy, dataDir)
    assert.equal(isCopy(dataDir), true)
    renewGeneration(dataDir)
    assert.equal(isCopy(dataDir), false)
    // As after a power loss.
    truncateSync(join(dataDir, 'generation'))
    assert.equal(isCopy(dataDir), false)
  })
})
