import { ActionIcon } from '@mantine/core'
import { Panel, useReactFlow, useViewport } from '@xyflow/react'
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react'
import classes from './Canvas.module.css'

export const ShortcutsHint = () => (
  <Panel position="bottom-right" className={`wide small t2 ${classes.hint}`}>
    <kbd>A</kbd> add step <kbd>Enter</kbd> edit <kbd>M</kbd> actions <kbd>?</kbd> all shortcuts
  </Panel>
)

/** Pixels around everything when it is fitted to the screen. */
const MARGIN = 40
export const MIN_ZOOM = 0.1

export function ZoomControls() {
  const { zoomIn, zoomOut, getNodes, getNodesBounds, setViewport } = useReactFlow()
  const fit = () => {
    // Computed here, because most nodes are not drawn.
    const { x, y, width, height } = getNodesBounds(getNodes())
    const canvas = document.querySelector('.react-flow')
    const space = { width: canvas?.clientWidth ?? 800, height: canvas?.clientHeight ?? 600 }
    const to = Math.max(MIN_ZOOM, Math.min(1, (space.width - 2 * MARGIN) / width, (space.height - 2 * MARGIN) / height))
    void setViewport({
      x: space.width / 2 - (x + width / 2) * to,
      y: space.height / 2 - (y + height / 2) * to,
      zoom: to,
    })
  }
  const { zoom } = useViewport()
  return (
    <Panel position="bottom-left" className={classes.zoom}>
      <ActionIcon aria-label="Zoom out" onClick={() => void zoomOut()}>
        <IconMinus aria-hidden />
      </ActionIcon>
      <span className="small">{Math.round(zoom * 100)} %</span>
      <ActionIcon aria-label="Zoom in" onClick={() => void zoomIn()}>
        <IconPlus aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label="Fit to screen" onClick={fit}>
        <IconMaximize aria-hidden />
      </ActionIcon>
    </Panel>
  )
}
