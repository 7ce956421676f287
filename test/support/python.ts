import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { run } from '../../embedded/tools/run.ts'

/** The library of Standard Webhooks for Python. */
export const STANDARD_WEBHOOKS = 'standardwebhooks==1.1.0'

const say = () => undefined

/** Installs packages in an environment in the user's cache, where they survive a new clone. Returns its `bin` folder. */
export async function installPython(name: string, requirements: string[]): Promise<string> {
  const environment = cacheFolder(name)
  const ready = join(environment, 'ready')
  const bin = join(environment, 'bin')
  if (!existsSync(ready)) {
    rmSync(environment, { recursive: true, force: true })
    await run('python3', ['-m', 'venv', environment], { say })
    await run(join(bin, 'pip'), ['install', '--quiet', ...requirements], { say })
    writeFileSync(ready, '')
  }
  return bin
}
