import { createContext } from 'react'

/** The ID of the selected step or branch, or `trigger` or `end`. */
export type Selected = string

/** The selection is not part of the nodes, so that selecting does not lay out all (up to 500) steps again. */
export const SelectedContext = createContext<Selected>('trigger')

/** The key of the place where a dragged step would be dropped. */
export const DropContext = createContext<string | undefined>(undefined)
