import { useEffect, useRef, useState } from 'react';

/** In CSS pixels: the width of an element, 1 until it is known, and the height of its horizontal scroll bar. */
export function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1);
  const [scrollbar, setScrollbar] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => {
      setWidth(Math.max(1, element.clientWidth));
      setScrollbar(element.offsetHeight - element.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { place, width, scrollbar };
}
