import { classifyDatabaseError } from './errors.ts'

/**
 * Runs a statement for a page of rows. If it takes too long or loses to a concurrent one, tries half the page. @throws the
 * statement's error if the page has one row, or if smaller pages do not help
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
