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
  // Where nodes lie in planes, and their colours: planes.py.
  const sides = 2 * data.axes.length, { wide, high, across } = data, planes = data.planes.length;
  const nodes = wide * high * planes;
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
    const at = [0, 0, 0];
    for (const axis of data.axes) {
      at[axis.group] += (node % axis.extent) * axis.step;
      node = Math.floor(node / axis.extent);
    }
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

  function colour(share) {
    const [ground, most] = data.grounds[matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"];
    return `rgb(${ground.map((one, i) => Math.round(one + share * (most[i] - one))).join()})`;
  }
  function draw() {
    const slice = Number(slider.value), counts = new Array(16).fill(0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.font = `${label - 2}px sans-serif`;
    for (let plane = 0; plane < planes; ++plane) {
      const [x, y] = corner(plane);
      pen.fillStyle = getComputedStyle(canvas).color;
      pen.fillText(data.planes[plane], x, y + label - 3);
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
