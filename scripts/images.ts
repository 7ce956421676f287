/** `npm run images`: builds the image of this version, and looks whether it is what it should be. It wants Docker. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readOptions } from './options.ts'

const { values } = readOptions({
  call: 'npm run images -- [OPTION …]',
  what: 'builds the image of this version with Docker, and checks it.',
  options: {
    name: { takes: 'NAME', what: 'what it is called, without a tag; dripline if nothing is said' },
    push: { what: 'push it when it is sound' },
  },
})
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const image = `${values.name ?? 'dripline'}:${version}`

const docker = (...args: string[]) =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
const inImage = (...command: string[]) => docker('run', '--rm', '--network', 'none', image, ...command).trim()
const say = (line: string) => process.stdout.write(`${line}\n`)

/** What has to be so of it, and how that is seen. */
const CHECKS: Record<string, () => boolean> = {
  'it runs as somebody who is not root': () => inImage('id', '-u') !== '0',
  'that user owns nothing of it, and can write nothing of it': () =>
    inImage('sh', '-c', 'find /app \\( -user "$(id -u)" -o -writable \\) ! -type l -print -quit') === '',
  'its command line is there, and of this version': () => inImage('node', 'src/bin/cli.ts', '--version') === version,
  'the workflow code is built': () => inImage('sh', '-c', 'test -s "$WORKFLOW_BUNDLE" && echo yes') === 'yes',
  'the client and the reference page are in it': () =>
    inImage('sh', '-c', 'test -s dist/client.tgz && ls dist | wc -l') !== '',
  'no development dependency is in it': () =>
    inImage('sh', '-c', 'ls node_modules | grep -cxE "mocha|eslint|typescript" || true') === '0',
  'it says what is missing, and ends with 1': () => {
    try {
      inImage('node', 'src/bin/worker.ts')
      return false
    } catch (error) {
      return (error as { status?: number }).status === 1
    }
  },
  'Docker can see whether it is well': () =>
    docker('image', 'inspect', '--format', '{{.Config.Healthcheck.Test}}', image).includes('healthz'),
}

docker('build', '--pull', '--tag', image, '.')
const failed = Object.entries(CHECKS).filter(([what, isSo]) => {
  const holds = isSo()
  say(`${holds ? '✔' : '✘'} ${what}`)
  return !holds
})
if (failed.length > 0) {
  say(`${image} is not sound, and is not to be used`)
  process.exit(1)
}
if (values.push) docker('push', image)
say(`${image} is sound${values.push ? ', and pushed' : ''}`)
