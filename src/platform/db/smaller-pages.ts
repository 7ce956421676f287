import { classifyDatabaseError } from './errors.ts'

/**
 * Runs a statement for a page of rows, and where that takes too long, or loses against another one, for half of the page.
 * @throws what the statement throws for a page of one, or that smaller pages do not help against
 */
export async function withSmallerPages<Result>(
  limit: number,
  run: (limit: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await run(limit)
  } catch (error) {
    if (limit === 1 || classifyDatabaseError(error) !== 'retry') throw error
    return withSmallerPages(Math.ceil(limit / 2), run)
  }
}
