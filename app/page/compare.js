export function beginCompare() {}
export function showCompare() {}
