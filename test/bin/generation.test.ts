import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nextGeneration } from '../../embedded/data-folder.ts'
import { isOtherFolder, sayDataFolder } from '../../src/installation/queries.ts'
import { startService, type Service } from '../support/service.ts'

describe('a data folder', () => {
  let service: Service
  let folder: string
  before(async () => {
    service = await startService({ worker: false })
    folder = mkdtempSync(join(tmpdir(), 'dripline-generation-'))
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const em = () => service.context.orm.em.fork()
  /** A start, as far as it was when it was ended. */
  const start = async (dataDir: string, endedAt?: 'looked' | 'said') => {
    const generation = nextGeneration(dataDir)
    const isOther = await isOtherFolder(em(), generation)
    if (endedAt === 'looked') return isOther
    await sayDataFolder(em(), generation)
    if (endedAt !== 'said') generation.take()
    return isOther
  }

  it('is the same from start to start, wherever one is ended, and moved', async () => {
    const dataDir = join(folder, 'same')
    cpSync(mkdtempSync(join(folder, 'empty-')), dataDir, { recursive: true })
    for (const endedAt of [
      undefined,
      'looked',
      undefined,
      'said',
      'said',
      undefined,
      'looked',
      'said',
      undefined,
    ] as const)
      assert.equal(await start(dataDir, endedAt), false)
    const moved = join(folder, 'moved')
    renameSync(dataDir, moved)
    assert.equal(await start(moved), false)
  })

  it('is another one where a copy was put in its place, beside it or over it, or its file is not there', async () => {
    const dataDir = join(folder, 'moved')
    const copy = join(folder, 'copy')
    cpSync(dataDir, copy, { recursive: true })
    assert.equal(await start(copy), true)
    assert.equal(await start(copy), false)
    assert.equal(await start(dataDir), true)
    // The database of before is back, and the file in its place is of after it.
    const { found } = nextGeneration(dataDir)
    await start(dataDir)
    await sayDataFolder(em(), { found, next: 'taken' })
    writeFileSync(join(dataDir, 'generation'), '')
    await start(dataDir, 'looked')
    assert.equal(await isOtherFolder(em(), nextGeneration(dataDir)), true)
    rmSync(join(dataDir, 'generation'))
    assert.equal(await start(dataDir), true)
  })
})
