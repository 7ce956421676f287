import type { EmbeddedOptions } from '../../embedded/protocol.ts'
import { resolveGoTool } from '../../embedded/tools/go-tools.ts'

/** Locates and configures Temporal's server on Postgres. */
export const temporalServer = async (
  port: number,
  retentionHours: number,
  passwordFile: string | undefined,
  say: (line: string) => void,
  aborted?: AbortSignal,
): Promise<NonNullable<EmbeddedOptions['temporalServer']>> => ({
  serverPath: await resolveGoTool('temporal-server', process.env, say, aborted),
  sqlToolPath: await resolveGoTool('temporal-sql-tool', process.env, say, aborted),
  port,
  retentionHours,
  ...(passwordFile === undefined ? {} : { passwordFile }),
})
