import { useWindowEvent } from '@mantine/hooks'
import { useReactFlow, type Viewport } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { Selected } from './canvas-context.ts'
import type { LaidOutNode } from './layout.ts'

/** Smaller steps cannot be read. */
const MIN_FIT = 0.5
const FIT_MARGIN = 24

function canvasSize() {
  const { clientWidth: width = 800, clientHeight: height = 600 } = document.querySelector('.react-flow') ?? {}
  return { width, height }
}

/** Shows all branches next to each other if they are legible, and the top otherwise. */
export function fittingViewport(nodes: readonly LaidOutNode[]): Viewport {
  const { width } = canvasSize()
  const left = Math.min(...nodes.map(({ x }) => x))
  const right = Math.max(...nodes.map(({ x, width: own }) => x + own))
  const zoom = Math.min(1, Math.max(MIN_FIT, (width - 2 * FIT_MARGIN) / (right - left)))
  return { x: width / 2 - ((left + right) / 2) * zoom, y: 24, zoom }
}

/** Fits the branches again when the window changes its size. @returns a function to call when a member moves the canvas: it stays from then on */
export function useFitOnResize(nodes: readonly LaidOutNode[]): () => void {
  const flow = useReactFlow()
  const isMoved = useRef(false)
  const latest = useRef(nodes)
  useEffect(() => void (latest.current = nodes))
  useWindowEvent('resize', () => {
    if (!isMoved.current) void flow.setViewport(fittingViewport(latest.current))
  })
  return () => {
    isMoved.current = true
  }
}

/** Scrolls the selected node into view. */
export function useScrollTo(selected: Selected): void {
  const flow = useReactFlow()
  useEffect(() => {
    const node = flow.getNode(selected)
    if (!node) return
    const { x, y, zoom } = flow.getViewport()
    const { width, height } = canvasSize()
    const left = node.position.x * zoom + x
    const right = left + (node.width ?? 0) * zoom
    const top = node.position.y * zoom + y
    const isWide = left >= 8 && right <= width - 8
    const isHigh = top >= 40 && top <= height - 100
    if (isWide && isHigh) return
    const next = {
      x: isWide ? x : width / 2 - (node.position.x + (node.width ?? 0) / 2) * zoom,
      y: isHigh ? y : height / 2 - node.position.y * zoom,
      zoom,
    }
    void flow.setViewport(next, { duration: 120, interpolate: 'linear' })
  }, [selected, flow])
}
