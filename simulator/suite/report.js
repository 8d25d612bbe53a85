// The load of each link in the course of time: the torus as planes, drawn anew for each slice. No clock, nothing drawn at random.
"use strict";
for (const figure of document.querySelectorAll("figure.torus")) show(figure);

async function show(figure) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas"), slider = figure.querySelector("input"), side = figure.querySelector("select");
  const play = figure.querySelector("button"), words = figure.querySelector("output");
  const hint = figure.querySelector(".hint");
  let loads;
  try {
    const packed = Uint8Array.from(atob(data.loads), (one) => one.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    loads = new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    words.textContent = "this browser cannot unpack the loads: " + error;
    return;
  }
  const extents = data.axes.map((axis) => axis.extent), sides = 2 * extents.length;
  // Axes in turn go to the columns of a plane, its rows, and the planes: x and a, y and b, z and c.
  const groups = [0, 1, 2].map((group) => extents.map((_, axis) => axis).filter((axis) => axis % 3 === group));
  const [wide, high, planes] = groups.map((group) => group.reduce((all, axis) => all * extents[axis], 1));
  const nodes = wide * high * planes;
  const across = Math.max(1, Math.min(planes, Math.round(Math.sqrt(planes * high * 1.6 / wide))));
  const cell = Math.max(2, Math.min(24, Math.floor(1150 / (across * (wide + 1)))));
  const label = cell > 8 ? 14 : 11;
  canvas.width = across * (wide + 1) * cell;
  canvas.height = Math.ceil(planes / across) * ((high + 1) * cell + label);
  const pen = canvas.getContext("2d");
  const digit = (number) => (number < 58 ? number - 48 : number - 87);  // of a character, 0 to 15

  function level(node, slice) {
    const chosen = side.value === "all" ? null : Number(side.value);
    let most = 0;
    for (let i = 0; i < sides; ++i)
      if (chosen === null || chosen === i) most = Math.max(most, digit(loads[(node * sides + i) * data.slices + slice]));
    return most;
  }
  function place(node) {
    const at = [0, 0, 0], factor = [1, 1, 1];
    extents.forEach((extent, axis) => {
      at[axis % 3] += (node % extent) * factor[axis % 3];
      factor[axis % 3] *= extent;
      node = Math.floor(node / extent);
    });
    return at;
  }
  function corner(plane) {
    return [(plane % across) * (wide + 1) * cell, Math.floor(plane / across) * ((high + 1) * cell + label)];
  }
  const name = (node) => data.axes.map((axis) => {
    const text = axis.name + (node % axis.extent);
    node = Math.floor(node / axis.extent);
    return text;
  }).join("");

  // The more, the farther from the ground: brightness alone tells it, in light and in dark.
  function colour(share) {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const low = dark ? [38, 44, 52] : [232, 236, 240], high_ = dark ? [255, 226, 120] : [10, 40, 96];
    return `rgb(${low.map((one, i) => Math.round(one + share * (high_[i] - one))).join()})`;
  }
  function draw() {
    const slice = Number(slider.value), counts = new Array(16).fill(0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.font = `${label - 2}px sans-serif`;
    for (let plane = 0; plane < planes; ++plane) {
      const [x, y] = corner(plane);
      let rest = plane;
      const text = groups[2].map((axis) => {
        const here = data.axes[axis].name + (rest % extents[axis]);
        rest = Math.floor(rest / extents[axis]);
        return here;
      }).join("");
      pen.fillStyle = getComputedStyle(canvas).color;
      pen.fillText(text, x, y + label - 3);
    }
    for (let node = 0; node < nodes; ++node) {
      const [column, row, plane] = place(node), [x, y] = corner(plane), found = level(node, slice);
      ++counts[found];
      pen.fillStyle = colour(found / 15);
      pen.fillRect(x + column * cell, y + label + row * cell, cell > 3 ? cell - 1 : cell, cell > 3 ? cell - 1 : cell);
      if (cell >= 14 && found > 0) {
        pen.fillStyle = colour(found < 8 ? 1 : 0);
        pen.fillText(Math.round(found * 100 / 15), x + column * cell + 1, y + label + row * cell + cell - 4);
      }
    }
    const busy = nodes - counts[0];
    words.textContent = `${(slice * data.slice_us).toFixed(2)} to ${((slice + 1) * data.slice_us).toFixed(2)} us: ` +
      `${busy} of ${nodes} nodes have a busy link, ${counts[15]} one that is never idle`;
  }
  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }
  play.addEventListener("click", () => {
    if (timer) return stop();
    play.textContent = "Stop";
    timer = setInterval(() => {
      slider.value = (Number(slider.value) + 1) % data.slices;
      draw();
    }, 300);
  });
  slider.addEventListener("input", draw);
  side.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    for (let node = 0; node < nodes; ++node) {
      const [column, row, plane] = place(node), [left, top] = corner(plane);
      const inside = (value, begin) => value >= begin && value < begin + cell;
      if (inside(x, left + column * cell) && inside(y, top + label + row * cell)) {
        const slice = Number(slider.value);
        hint.textContent = name(node) + ": " + data.axes.map((axis, i) => ["+", "-"].map((sign, j) =>
          `${sign}${axis.name} ${Math.round(digit(loads[(node * sides + 2 * i + j) * data.slices + slice]) * 100 / 15)} %`)
          .join(" ")).join(", ");
        return;
      }
    }
    hint.textContent = " ";
  });
  draw();
}
