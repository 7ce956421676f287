import { execFileSync } from 'node:child_process'
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

/**
 * Creates an environment with the client of an instance and the library of Standard Webhooks. pip and the library are those of a
 * cached environment. @returns the path of Python
 */
export async function installPythonClient(folder: string, origin: string, cache: string): Promise<string> {
  const cached = await installPython(cache, [STANDARD_WEBHOOKS])
  const python = join(folder, 'bin/python')
  await run('python3', ['-m', 'venv', '--without-pip', folder], { say })
  const packages = `from site import getsitepackages; print(getsitepackages()[0])`
  const [of, shared] = [python, join(cached, 'python')].map((path) =>
    execFileSync(path, ['-c', packages]).toString().trim(),
  ) as [string, string]
  writeFileSync(join(of, 'shared.pth'), `${shared}\n`)
  const source = ['--no-index', '--find-links', `${origin}/python`]
  await run(join(cached, 'pip'), ['--python', python, 'install', '--quiet', ...source, 'dripline-client'], { say })
  return python
}
