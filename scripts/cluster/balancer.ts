import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Configures Caddy as a load balancer for API processes on this machine. An API that rejects a connection is skipped for a
 * second, and the request goes to another one, so that clients do not notice a restart. In Compose, the APIs share a name with
 * several addresses, which has the same effect. @param folder the folder for its configuration. @see
 * https://caddyserver.com/docs/caddyfile/directives/reverse_proxy
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
