/**
 * What Caddy is started with to balance between APIs on this machine.
 * @see https://caddyserver.com/docs/command-line#caddy-reverse-proxy
 */
export const balance = (from: string, ports: readonly number[]): string[] => [
  ...['reverse-proxy', '--from', from],
  ...ports.flatMap((port) => ['--to', `127.0.0.1:${port}`]),
]
