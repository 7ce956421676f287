import { createContext, type DragEvent, use, useState } from 'react'
import { BLOCK_TYPES, type BlockType } from './blocks.ts'
import type { BlockEditor } from './use-block-editor.ts'
import { findNode } from './nodes.ts'

const MOVED = 'application/x-dripline-block'
const NEW = 'application/x-dripline-new-block'

/** Starts to drag a block, or a new block of the palette. */
export const dragBlock = (event: DragEvent, key: string) => event.dataTransfer.setData(MOVED, key)
export const dragNew = (event: DragEvent, type: BlockType) => event.dataTransfer.setData(NEW, type)

const isOurs = ({ dataTransfer: { types } }: DragEvent): boolean => types.includes(MOVED) || types.includes(NEW)

/** The place where a dragged block would go: before or after another one. */
interface DropPlace {
  target: string
  isAfter: boolean
}

export const DropContext = createContext<ReturnType<typeof useDrop> | null>(null)

/** Handlers for dropping blocks onto the canvas. */
export function useDrop(editor: BlockEditor) {
  const [place, setPlace] = useState<DropPlace>()
  return {
    place,
    over: (event: DragEvent, target: string) => {
      if (!isOurs(event)) return
      event.preventDefault()
      event.stopPropagation()
      const { top, height } = event.currentTarget.getBoundingClientRect()
      const isAfter = event.clientY > top + height / 2
      if (place?.target !== target || place.isAfter !== isAfter) setPlace({ target, isAfter })
    },
    drop: (event: DragEvent) => {
      if (!isOurs(event)) return
      event.preventDefault()
      event.stopPropagation()
      setPlace(undefined)
      const moved = event.dataTransfer.getData(MOVED)
      const type = BLOCK_TYPES.find((each) => each === event.dataTransfer.getData(NEW))
      const at = findNode(editor.nodes, place?.target)
      if (place && moved !== '') editor.move(moved, place)
      else if (type && at && place) editor.add(type, at.list, at.index + (place.isAfter ? 1 : 0))
      else if (type) editor.add(type, {})
    },
    end: () => setPlace(undefined),
  }
}

export function useDropPlace() {
  const found = use(DropContext)
  if (!found) throw new Error('useDropPlace needs a DropContext')
  return found
}
