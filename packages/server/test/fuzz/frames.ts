import { runByCommand } from './command.ts'
import { type FrameReport, fuzzFrames } from './frames-run.ts'

/** node --conditions=source packages/server/test/fuzz/frames.ts --frames 50000 --seed 1 --engine sqlite */
await runByCommand(
  { name: 'frames', byDefault: 50000 },
  ({ count: frames, ...options }) => fuzzFrames({ frames, ...options }),
  summary,
)

function summary(report: FrameReport, seconds: number): string {
  const list = (counts: Map<string, number>) =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ')
  return [
    `frames: ${list(report.byFrame).slice(0, 4_000)}`,
    `answers: ${list(report.byCode)}`,
    `bytes: ${list(report.byAttack)}`,
    `${report.frames} frames and ${report.attacks} byte attacks in ${seconds.toFixed(1)} s, ${report.messages} messages of good players delivered, ${report.problems.length} problems`,
    ...report.problems.slice(0, 40),
  ].join('\n')
}
