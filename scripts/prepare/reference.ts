import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { run } from '../../embedded/tools/run.ts'
import { npmPack } from './npm-pack.ts'

const VERSION = '1.72.1'
const FILE = 'package/dist/browser/standalone.js'
const SHA256 = 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c'
const TARGET = fileURLToPath(new URL('../../dist/reference', import.meta.url))

/**
 * Downloads Scalar's reference page for `/docs`. It is a single file without dependencies. As an npm dependency, its package
 * would bring two hundred others that the service does not use. So the archive is taken from the npm registry, and the file is
 * used only if its hash matches.
 */
export async function fetchReference(say: (line: string) => void): Promise<void> {
  const cached = join(cacheFolder(`scalar-${VERSION}`), 'scalar.js')
  try {
    if (!isGenuine(cached)) await download(cached, say)
    mkdirSync(TARGET, { recursive: true })
    copyFileSync(cached, join(TARGET, 'scalar.js'))
    say('The reference page: installed in dist/reference')
  } catch (error) {
    // An instance without the page works otherwise. The page says how to install it.
    say(`The reference page at /docs is skipped: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const isGenuine = (path: string): boolean =>
  existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === SHA256

async function download(target: string, say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dripline-scalar-'))
  try {
    const archive = await npmPack(`@scalar/api-reference@${VERSION}`, folder, say)
    await run('tar', ['-xzf', archive, '-C', folder, FILE], { say })
    const file = join(folder, FILE)
    if (!isGenuine(file)) throw new Error(`the hash of the file in @scalar/api-reference@${VERSION} does not match`)
    // Copied to a temporary name and renamed, so that concurrent processes never see an incomplete file.
    copyFileSync(file, `${target}.${process.pid}`)
    renameSync(`${target}.${process.pid}`, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
