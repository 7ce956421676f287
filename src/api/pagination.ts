import { invalid } from '../domain/errors.ts'

/** Specification, section 8. */
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** The highest page: beyond it the offset would leave what Postgres counts with. */
const MAX_PAGE = 1_000_000_000

export interface Page {
  page: number
  limit: number
  offset: number
}

/** Reads `page` and `limit`. @throws {Refusal} `invalid`, naming the parameter and its range. */
export function readPage(query: Record<string, string | string[] | undefined>): Page {
  const page = integer('page', query['page'], 1, MAX_PAGE)
  const limit = integer('limit', query['limit'], DEFAULT_LIMIT, MAX_LIMIT)
  return { page, limit, offset: (page - 1) * limit }
}

function integer(name: string, given: string | string[] | undefined, fallback: number, max: number): number {
  if (given === undefined) return fallback
  const value = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : NaN
  if (!(value >= 1 && value <= max)) throw invalid(`${name} must be an integer from 1 to ${max}`)
  return value
}

/** The list envelope (specification, section 2.1). */
export const listEnvelope = <Item>(data: Item[], { page, limit }: Page, total: number) => ({
  data,
  pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
})
