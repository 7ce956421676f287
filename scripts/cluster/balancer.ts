import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What Caddy is started with to balance between APIs on this machine. An API that does not take a connection is left alone
 * for a second, and the request goes to another one: nobody is to notice that one of them is started again. By Compose
 * they have one name with an address each, where dialling does the same.
 * @param folder takes its configuration.
 * @see https://caddyserver.com/docs/caddyfile/directives/reverse_proxy
 */
export function balance(folder: string, from: string, ports: readonly number[]): string[] {
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{
	admin off
	persist_config off
	auto_https off
}
${from} {
	reverse_proxy ${ports.map((port) => `127.0.0.1:${port}`).join(' ')} {
		lb_retries ${ports.length}
		fail_duration 1s
	}
}
`,
  )
  return ['run', '--adapter', 'caddyfile', '--config', file]
}
