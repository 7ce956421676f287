/** `npm run images`: builds the image of this version and checks it. It requires Docker. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readOptions } from './options.ts'

const { values } = readOptions({
  call: 'npm run images -- [OPTION …]',
  what: 'builds the image of this version with Docker, and checks it.',
  options: {
    name: { takes: 'NAME', what: 'the name of the image, without a tag; default: dripline' },
    push: { what: 'push the image if all checks pass' },
  },
})
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const image = `${values.name ?? 'dripline'}:${version}`

const docker = (...args: string[]) =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
const inImage = (...command: string[]) => docker('run', '--rm', '--network', 'none', image, ...command).trim()
const say = (line: string) => process.stdout.write(`${line}\n`)

/** The checks of the image. */
const CHECKS: Record<string, () => boolean> = {
  'does not run as root': () => inImage('id', '-u') !== '0',
  'is not writable by its user': () =>
    inImage('sh', '-c', 'find /app \\( -user "$(id -u)" -o -writable \\) ! -type l -print -quit') === '',
  'has the command line of this version': () => inImage('node', 'src/bin/cli.ts', '--version') === version,
  'has the workflow code': () => inImage('sh', '-c', 'test -s "$WORKFLOW_BUNDLE" && echo yes') === 'yes',
  'has the packages and the reference page': () =>
    inImage(
      'sh',
      '-c',
      'test -s dist/client.tgz && test -s dist/cli.tgz && test -s dist/testing.tgz && ls dist | wc -l',
    ) !== '',
  'has no development dependencies': () =>
    inImage('sh', '-c', 'ls node_modules | grep -cxE "mocha|eslint|typescript" || true') === '0',
  'reports missing settings and exits with 1': () => {
    try {
      inImage('node', 'src/bin/worker.ts')
      return false
    } catch (error) {
      return (error as { status?: number }).status === 1
    }
  },
  'has a health check': () =>
    docker('image', 'inspect', '--format', '{{.Config.Healthcheck.Test}}', image).includes('healthz'),
}

docker('build', '--pull', '--tag', image, '.')
const failed = Object.entries(CHECKS).filter(([what, isSo]) => {
  const holds = isSo()
  say(`${holds ? '✔' : '✘'} ${what}`)
  return !holds
})
if (failed.length > 0) {
  say(`${image} failed a check and must not be used`)
  process.exit(1)
}
if (values.push) docker('push', image)
say(`${image} passed all checks${values.push ? ' and was pushed' : ''}`)
