/** A page of a list that is read by page numbers. */
export interface Range {
  limit: number
  offset: number
}
