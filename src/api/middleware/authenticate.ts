import type { Middleware } from 'koa'
import { authenticate as findKey } from '../../services/api-keys.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { ApiState } from '../state.ts'

/** Finds the key of a request and its workspace. Where both headers are there, `Authorization` wins (design, section 10). */
export const authenticate = (em: EntityManager): Middleware<ApiState> =>
  async function authenticate(ctx, next) {
    const authorization = ctx.get('Authorization')
    const key = authorization ? (/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? authorization) : ctx.get('x-api-key')
    const apiKey = await findKey(em, key, ctx.req.socket.remoteAddress ?? '')
    ctx.state.apiKey = apiKey
    ctx.state.workspace = apiKey.workspace
    await next()
  }
