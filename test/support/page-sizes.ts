import { pageSizes, type PageSizes } from '../../src/platform/page-sizes.ts'

/** The sizes in production. */
export const REAL_PAGE_SIZES: PageSizes = { ...pageSizes }

/** Makes each page of this process two rows long, so that a fixture of three rows has another page. */
export function shrinkPages(): void {
  for (const name of Object.keys(pageSizes) as (keyof PageSizes)[]) pageSizes[name] = 2
}

/** Changes the sizes of pages for the tests of a suite. */
export function withPageSizes(changed: Partial<PageSizes>): void {
  const earlier = { ...pageSizes }
  before(() => void Object.assign(pageSizes, changed))
  after(() => void Object.assign(pageSizes, earlier))
}
